#include "probe/zookeeper/server_lists.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"

void connection_list_add(struct connection_list *l, const struct seen_connection *seen)
{
    room_for_one(&l->list, l->count, &l->room, sizeof *l->list);
    l->list[l->count++] = *seen;
}

void connection_list_free(struct connection_list *l)
{
    free(l->list);
    arena_free(&l->texts);
    *l = (struct connection_list){0};
}

void watch_list_add_session(struct watch_list *l, uint64_t session)
{
    room_for_one(&l->list, l->count, &l->room, sizeof *l->list);
    l->list[l->count++] = (struct seen_watches){.session = session};
}

void watch_list_add_path(struct watch_list *l, const char *path, size_t length)
{
    if (!l->count)
        return;
    room_for_one(&l->paths, l->path_count, &l->path_room, sizeof *l->paths);
    l->paths[l->path_count++] = arena_text(&l->texts, path, length);
    l->list[l->count - 1].count++;
}

void watch_list_add_detail(struct watch_list *l, uint64_t session, const char *path, enum watch_kind kind)
{
    room_for_one(&l->details, l->detail_count, &l->detail_room, sizeof *l->details);
    l->details[l->detail_count++] =
        (struct watch_detail){session, arena_text(&l->texts, path, strlen(path)), kind};
}

static int compare_details(const void *a, const void *b)
{
    const struct watch_detail *x = a, *y = b;
    return (x->session > y->session) - (x->session < y->session);
}

void watch_list_finish(struct watch_list *l)
{
    size_t at = 0;
    if (l->detail_count > 0) {
        qsort(l->details, l->detail_count, sizeof *l->details, compare_details);
        l->kinds = xmalloc(l->detail_count);
    }
    for (size_t i = 0; i < l->detail_count; i++) {
        if (i == 0 || l->details[i].session != l->details[i - 1].session)
            watch_list_add_session(l, l->details[i].session);
        l->kinds[l->path_count] = (uint8_t)l->details[i].kind;
        watch_list_add_path(l, l->details[i].path, strlen(l->details[i].path));
    }
    for (size_t i = 0; i < l->count; i++) {
        l->list[i].paths = l->list[i].count ? l->paths + at : NULL;
        l->list[i].kinds = l->kinds ? l->kinds + at : NULL;
        at += l->list[i].count;
    }
}

void watch_list_free(struct watch_list *l)
{
    free(l->list);
    free(l->paths);
    free(l->kinds);
    free(l->details);
    arena_free(&l->texts);
    *l = (struct watch_list){0};
}

void session_list_add(struct session_list *l, const struct seen_session *seen)
{
    room_for_one(&l->list, l->count, &l->room, sizeof *l->list);
    l->list[l->count++] = *seen;
}

void session_list_free(struct session_list *l)
{
    free(l->list);
    *l = (struct session_list){0};
}

void server_figures_clear(struct server_figures *figures)
{
    *figures = (struct server_figures){.mode = SERVER_UNKNOWN,
                                       .zxid = -1,
                                       .connections = -1,
                                       .watches = -1,
                                       .watched_paths = -1,
                                       .watching = -1,
                                       .all_watches = -1,
                                       .sessions = -1,
                                       .ephemerals = -1,
                                       .slowest_ms = -1,
                                       .received = -1,
                                       .sent = -1,
                                       .outstanding = -1,
                                       .fastest_us = -1,
                                       .average_us = -1,
                                       .uptime_ms = -1,
                                       .znodes = -1,
                                       .address_connections_most = -1,
                                       .slow_fsyncs = -1,
                                       .client_port = -1,
                                       .tick_ms = -1,
                                       .server_id = -1};
}

void server_answer_clear(struct server_answer *answer)
{
    *answer = (struct server_answer){.sessions = {0}};
    server_figures_clear(&answer->figures);
}

void server_answer_free(struct server_answer *answer)
{
    connection_list_free(&answer->connections);
    watch_list_free(&answer->watches);
    session_list_free(&answer->sessions);
}

bool session_id_parse(const char *text, size_t length, uint64_t *id)
{
    char copy[24], *end;
    uint64_t value;
    if (length == 0 || length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    errno = 0;
    if (strncmp(copy, "0x", 2) == 0) {
        if (strspn(copy + 2, "0123456789abcdefABCDEF") != length - 2 || length == 2)
            return false;
        value = strtoull(copy + 2, &end, 16);
    } else {
        size_t sign = *copy == '-';
        if (strspn(copy + sign, "0123456789") != length - sign || length == sign)
            return false;
        value = (uint64_t)strtoll(copy, &end, 10);
    }
    if (errno || *end)
        return false;
    *id = value;
    return true;
}

int64_t figure_parse(const char *text, size_t length)
{
    char copy[24], *end;
    if (length == 0 || length >= sizeof copy)
        return -1;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (strspn(copy, "-0123456789") != length)
        return -1;
    errno = 0;
    long long value = strtoll(copy, &end, 10);
    return errno || *end || end == copy ? -1 : value;
}

int64_t milliseconds_parse(const char *text, size_t length)
{
    const char *point = memchr(text, '.', length);
    size_t whole = point ? (size_t)(point - text) : length;
    int64_t ms = figure_parse(text, whole), us = 0, unit = 100;
    if (ms < 0 || ms > INT64_MAX / 2000 || (point && whole + 1 == length))
        return -1;
    for (size_t i = whole + 1; i < length; i++, unit /= 10) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        us += (text[i] - '0') * unit;
    }
    return ms * 1000 + us;
}

size_t client_address_parse(const char *text, size_t length, char out[CLIENT_ADDRESS_SIZE])
{
    const char *slash = memchr(text, '/', length);
    if (slash) { /* "name/address": the address */
        length -= (size_t)(slash + 1 - text);
        text = slash + 1;
    }
    if (length >= CLIENT_ADDRESS_SIZE)
        length = CLIENT_ADDRESS_SIZE - 1;
    memcpy(out, text, length);
    out[length] = '\0';
    char host[CLIENT_ADDRESS_SIZE], *port = strrchr(out, ':');
    size_t host_length = port ? (size_t)(port - out) : 0;
    if (!port || !memchr(out, ':', host_length))
        return length;
    bool brackets = out[0] == '[' && out[host_length - 1] == ']';
    snprintf(host, sizeof host, "%.*s", (int)(host_length - (brackets ? 2 : 0)), out + brackets);
    host[strcspn(host, "%")] = '\0';
    struct in6_addr address;
    char plain[INET6_ADDRSTRLEN], number[16];
    if (inet_pton(AF_INET6, host, &address) != 1 || !inet_ntop(AF_INET6, &address, plain, sizeof plain))
        return length;
    snprintf(number, sizeof number, "%s", port + 1);
    return (size_t)snprintf(out, CLIENT_ADDRESS_SIZE, "[%s]:%s", plain, number);
}

enum server_mode server_mode_parse(const char *text, size_t length)
{
    static const struct {
        const char *word;
        enum server_mode mode;
    } modes[] = {{"standalone", SERVER_STANDALONE},
                 {"leader", SERVER_LEADER},
                 {"follower", SERVER_FOLLOWER},
                 {"observer", SERVER_OBSERVER},
                 {"read-only", SERVER_READ_ONLY}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (length == strlen(modes[i].word) && memcmp(text, modes[i].word, length) == 0)
            return modes[i].mode;
    return SERVER_UNKNOWN;
}

void version_parse(const char *text, size_t length, char *version, size_t size)
{
    size_t n = 0;
    while (n < length && n < size - 1 && !strchr("-, \r\n", text[n])) {
        version[n] = text[n];
        n++;
    }
    version[n] = '\0';
}
