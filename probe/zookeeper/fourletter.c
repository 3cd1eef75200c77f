#include "probe/zookeeper/fourletter.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "config/memory.h"
#include "probe/transport/tls.h"
#include "probe/transport/transport.h"
#include "probe/zookeeper/resolver.h"

static const char switched_off[] = "switched off (4lw.commands.whitelist)";
static const char cut_off[] = "the answer was cut off";
static const char strange[] = "not a ZooKeeper answer";

const char *fourletter_word_text(enum fourletter_word word)
{
    static const char *const words[] = {"srvr", "mntr", "wchs", "cons", "wchc", "dump"};
    return words[word];
}

bool fourletter_word_is_switched_off(const char *problem)
{
    return problem == switched_off;
}

/*
 * ClickHouse Keeper's answers differ: its name precedes the version, addresses lack the slash and "[1]",
 * session ids are padded with zeros (ZooKeeper's never are), and the last line is not empty.
 */
#define KEEPER "ClickHouse Keeper "
#define KEEPER_SESSION "0x00"

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The text after a label, up to the end of its line; NULL: no such label. */
static const char *after(const char *text, const char *label, size_t *length)
{
    const char *at = strstr(text, label);
    if (!at)
        return NULL;
    at += strlen(label);
    *length = strcspn(at, "\r\n");
    return at;
}

static int64_t number_after(const char *text, const char *label)
{
    size_t length;
    const char *at = after(text, label, &length);
    uint64_t hexadecimal;
    if (!at)
        return -1;
    if (starts(at, "0x"))
        return session_id_parse(at, length, &hexadecimal) ? (int64_t)hexadecimal : -1;
    return figure_parse(at, strspn(at, "0123456789"));
}

static int64_t milliseconds_after(const char *text, const char *label)
{
    size_t length;
    const char *at = after(text, label, &length);
    return at ? milliseconds_parse(at, strspn(at, "0123456789.")) : -1;
}

/* "Latency min/avg/max: 0/0.125/4" */
static void read_latencies(const char *text, struct server_figures *f)
{
    size_t length;
    const char *at = after(text, "Latency min/avg/max: ", &length);
    int64_t *const parts[] = {&f->fastest_us, &f->average_us};
    for (size_t i = 0; at && i < 2; i++) {
        const char *slash = memchr(at, '/', length);
        *parts[i] = slash ? milliseconds_parse(at, (size_t)(slash - at)) : -1;
        length -= slash ? (size_t)(slash + 1 - at) : 0;
        at = slash ? slash + 1 : NULL;
    }
    f->slowest_ms = at ? figure_parse(at, strspn(at, "0123456789")) : -1;
}

/* ZooKeeper counts the connection that asks, which read_cons_line() leaves out. Keeper's count was not measured. */
static int64_t connections_after(const char *text, const char *label, bool keeper)
{
    int64_t connections = number_after(text, label);
    return connections > 0 && !keeper ? connections - 1 : connections;
}

static const char *read_srvr(const char *text, struct server_figures *f)
{
    size_t version_length, mode_length;
    const char *version = after(text, "Zookeeper version: ", &version_length);
    const char *keeper = version ? NULL : after(text, KEEPER "version: v", &version_length);
    const char *mode = after(text, "Mode: ", &mode_length);
    if ((!version && !keeper) || !mode)
        return version || keeper ? cut_off : strange;
    size_t named = keeper ? sizeof KEEPER - 1 : 0;
    memcpy(f->version, KEEPER, named);
    version_parse(keeper ? keeper : version, version_length, f->version + named, sizeof f->version - named);
    f->mode = server_mode_parse(mode, mode_length);
    f->connections = connections_after(text, "Connections: ", keeper != NULL);
    f->zxid = number_after(text, "Zxid: ");
    f->received = number_after(text, "Received: ");
    f->sent = number_after(text, keeper ? "Sent : " : "Sent: ");
    f->outstanding = number_after(text, "Outstanding: ");
    f->znodes = number_after(text, "Node count: ");
    read_latencies(text, f);
    return NULL;
}

static const char *read_mntr(const char *text, struct server_figures *f)
{
    size_t length;
    const char *state = after(text, "zk_server_state\t", &length);
    if (!state)
        return strange;
    f->mode = server_mode_parse(state, length);
    f->connections = connections_after(text, "zk_num_alive_connections\t", strstr(text, "zk_version\tv"));
    f->all_watches = number_after(text, "zk_watch_count\t");
    f->sessions = number_after(text, "zk_global_sessions\t");
    f->ephemerals = number_after(text, "zk_ephemerals_count\t");
    f->slowest_ms = number_after(text, "zk_max_latency\t");
    f->fastest_us = milliseconds_after(text, "zk_min_latency\t");
    f->average_us = milliseconds_after(text, "zk_avg_latency\t");
    f->uptime_ms = number_after(text, "zk_uptime\t");
    f->znodes = number_after(text, "zk_znode_count\t");
    f->received = number_after(text, "zk_packets_received\t");
    f->sent = number_after(text, "zk_packets_sent\t");
    f->outstanding = number_after(text, "zk_outstanding_requests\t");
    return NULL;
}

static const char *read_wchs(const char *text, struct server_figures *f)
{
    size_t digits = strspn(text, "0123456789");
    static const char middle[] = " connections watching ";
    if (!digits || !starts(text + digits, middle))
        return strange;
    f->watching = figure_parse(text, digits);
    f->watched_paths = number_after(text, middle);
    f->watches = number_after(text, "Total watches:");
    return f->watches < 0 ? cut_off : NULL;
}

static int fourletter_parse_small(int64_t number)
{
    return number < 0 || number > INT_MAX ? -1 : (int)number;
}

/* "sid=0x100000baada0004,lop=EXIS,...": one field of it. */
static void field(struct connection_list *list, struct seen_connection *c, const char *name,
                  size_t name_length, const char *value, size_t length)
{
    uint64_t hexadecimal = 0;
    int64_t number = figure_parse(value, length);
    bool is_hexadecimal = length > 2 && starts(value, "0x") && session_id_parse(value, length, &hexadecimal);
#define IS(word) (name_length == sizeof word - 1 && memcmp(name, word, sizeof word - 1) == 0)
    if (IS("sid"))
        c->session = hexadecimal;
    else if (IS("lop"))
        c->last_operation = arena_text(&list->texts, value, length < 16 ? length : 16);
    else if (IS("est"))
        c->established_ms = number;
    else if (IS("to"))
        c->timeout_ms = fourletter_parse_small(number) < 0 ? 0 : fourletter_parse_small(number);
    else if (IS("lcxid"))
        c->last_cxid = is_hexadecimal ? (int64_t)hexadecimal : -1;
    else if (IS("lzxid"))
        c->last_zxid = is_hexadecimal ? (int64_t)hexadecimal : -1;
    else if (IS("lresp"))
        c->last_response_ms = number;
    else if (IS("queued"))
        c->outstanding = fourletter_parse_small(number);
#undef IS
}

/* " /127.0.0.1:41548[1](queued=0,recved=3,sent=3,sid=...)", or of Keeper " 127.0.0.1:41548(recved=3,...)" */
static const char *read_cons_line(const char *line, size_t length, struct connection_list *list)
{
    const char *end = line + length, *at = line;
    while (at < end && *at != '(')
        at++;
    bool keeper = at > line && at[-1] >= '0' && at[-1] <= '9';
    if (*line != ' ' || at == end || (at[-1] != ']' && !keeper))
        return strange;
    if (end[-1] != ')')
        return cut_off;
    const char *address_end = at;
    while (!keeper && address_end > line && *address_end != '[')
        address_end--;
    char address[CLIENT_ADDRESS_SIZE];
    size_t address_length =
        client_address_parse(line + 1, address_end > line ? (size_t)(address_end - line - 1) : 0, address);
    struct seen_connection c = {.last_cxid = -1, .last_zxid = -1, .outstanding = -1};
    c.client = arena_text(&list->texts, address, address_length);
    for (at++; at < end - 1;) {
        size_t name = 0, value;
        size_t left = (size_t)(end - 1 - at);
        while (name < left && at[name] != '=' && at[name] != ',')
            name++;
        for (value = name; value < left && at[value] != ',';)
            value++;
        if (name < value)
            field(list, &c, at, name, at + name + 1, value - name - 1);
        at += value < left ? value + 1 : left;
    }
    if (keeper && c.session == UINT64_MAX) /* it has none yet */
        c.session = 0;
    /* One without a session asks by word, as we do: in a client's place it would make the list look complete. */
    if (keeper || c.session != 0)
        connection_list_add(list, &c);
    return NULL;
}

/* These answers end with an empty line, which proves that they are complete; Keeper's end with a line. */
static bool ends_with_empty_line(const char *text, bool keeper)
{
    size_t length = strlen(text);
    if (keeper)
        return text[length - 1] == '\n';
    return length && text[length - 1] == '\n' &&
           (length == 1 || text[length - 2] == '\n' || text[length - 2] == '\r');
}

static const char *read_cons(const char *text, struct connection_list *list)
{
    const char *problem = NULL;
    size_t length;
    for (const char *line = text; *line && !problem; line += length + (line[length] != '\0')) {
        length = strcspn(line, "\n");
        if (length)
            problem = read_cons_line(line, length, list);
    }
    return problem ? problem : ends_with_empty_line(text, !strstr(text, "](")) ? NULL : cut_off;
}

static const char *read_wchc(const char *text, struct watch_list *list)
{
    bool keeper = starts(text, KEEPER_SESSION);
    size_t length;
    uint64_t session;
    for (const char *line = text; *line; line += length + (line[length] != '\0')) {
        length = strcspn(line, "\n");
        if (!length)
            continue;
        size_t blank = strspn(line, "\t ");
        if (blank && list->count && (keeper || (blank == 1 && line[0] == '\t')))
            watch_list_add_path(list, line + blank, length - blank);
        else if (starts(line, "0x") && session_id_parse(line, length, &session))
            watch_list_add_session(list, session);
        else
            return strange;
    }
    watch_list_finish(list);
    return ends_with_empty_line(text, keeper) ? NULL : cut_off;
}

/* "Sessions dump (2):", their ids, "Sessions with Ephemerals (1):" */
static const char *read_keeper_dump(const char *text, struct session_list *list)
{
    size_t length, digits;
    const char *number = after(text, "Sessions dump (", &digits), *line = text + strcspn(text, "\n");
    int64_t count = figure_parse(number, strspn(number, "0123456789"));
    struct seen_session seen = {.ends_ms = -1};
    for (line += *line != '\0'; starts(line, KEEPER_SESSION); line += length + (line[length] != '\0')) {
        length = strcspn(line, "\n");
        if (!session_id_parse(line, length, &seen.id))
            return strange;
        session_list_add(list, &seen);
    }
    return starts(line, "Sessions with Ephemerals (") && list->count == (size_t)count ? NULL : cut_off;
}

static const char *read_dump(const char *text, struct session_list *list)
{
    if (starts(text, "Sessions dump ("))
        return read_keeper_dump(text, list);
    if (!starts(text, "SessionTracker dump:"))
        return strange;
    if (strstr(text, "Global Sessions("))
        return "only ZooKeeper's leader knows which sessions are alive";
    size_t length;
    /* Expiry times are dates in the server's unknown time zone. */
    struct seen_session seen = {.ends_ms = -1};
    for (const char *line = text; *line; line += length + (line[length] != '\0')) {
        length = strcspn(line, "\n");
        if (starts(line, "ephemeral nodes dump:"))
            return NULL;
        if (starts(line, "\t0x")) {
            if (!session_id_parse(line + 1, length - 1, &seen.id))
                return strange;
            session_list_add(list, &seen);
        }
    }
    return cut_off;
}

const char *fourletter_word_read(enum fourletter_word word, const char *text, struct server_answer *answer)
{
    const char *problem = NULL;
    if (!*text)
        return "closed the connection without an answer: it has too many connections, or it is stopping";
    if (starts(text, fourletter_word_text(word)) &&
        starts(text + strlen(fourletter_word_text(word)),
               " is not executed because it is not in the whitelist"))
        return switched_off;
    if (starts(text, "This ZooKeeper instance is not currently serving requests"))
        return "not serving: no quorum, or still starting";
    switch (word) {
    case FOURLETTER_WORD_SRVR:
        return read_srvr(text, &answer->figures);
    case FOURLETTER_WORD_MNTR:
        return read_mntr(text, &answer->figures);
    case FOURLETTER_WORD_WCHS:
        return read_wchs(text, &answer->figures);
    case FOURLETTER_WORD_CONS:
        problem = read_cons(text, &answer->connections);
        break;
    case FOURLETTER_WORD_WCHC:
        problem = read_wchc(text, &answer->watches);
        break;
    case FOURLETTER_WORD_DUMP:
        problem = read_dump(text, &answer->sessions);
        break;
    }
    if (problem)
        server_answer_free(answer);
    return problem;
}

struct fourletter {
    struct name_asker asker; /* first */
    uv_loop_t *loop;
    const struct security_settings *security;
    uv_poll_t poll;
    uv_timer_t timer;
    int port;
    int open;         /* handles that libuv still holds */
    fourletter_fn fn; /* NULL: already called, or cancelled */
    void *context;
    uint64_t begun_ns;
    int fd; /* -1: none */
    bool connected;
    struct tls *tls;  /* NULL: plain, or not connected yet */
    int failed;       /* libuv's error; the timer reports it from the loop */
    char *name;       /* "host:port" */
    const char *host; /* in the same allocation */
    char word[8];
    size_t sent;
    char *text;
    size_t length, room, limit;
};

static void fourletter_let_go(struct fourletter *f)
{
    if (--f->open > 0)
        return;
    tls_free(f->tls);
    if (f->fd >= 0)
        close(f->fd);
    free(f->name);
    free(f->text);
    free(f);
}

static void fourletter_on_closed(uv_handle_t *handle)
{
    fourletter_let_go(handle->data);
}

static void fourletter_finish(struct fourletter *f, const char *problem)
{
    fourletter_fn fn = f->fn;
    f->fn = NULL;
    if (!uv_is_closing((uv_handle_t *)&f->timer)) {
        uv_close((uv_handle_t *)&f->timer, fourletter_on_closed);
        name_forget(&f->asker);
    }
    if (f->fd >= 0 && !uv_is_closing((uv_handle_t *)&f->poll))
        uv_close((uv_handle_t *)&f->poll, fourletter_on_closed);
    if (!fn)
        return;
    int64_t took_us = (int64_t)(uv_hrtime() - f->begun_ns) / 1000;
    if (!problem && f->text) {
        f->text[f->length] = '\0';
        fn(f->context, NULL, f->text, f->length, took_us);
    } else {
        fn(f->context, problem ? problem : "empty answer", NULL, 0, took_us);
    }
}

/* Makes room for more of the answer. */
static bool fourletter_make_room(struct fourletter *f)
{
    if (f->room - f->length >= 2048)
        return true;
    size_t room = f->room ? f->room * 2 : 4096;
    if (room > f->limit + 4096)
        return false;
    f->text = xreallocarray(f->text, room, 1);
    f->room = room;
    return true;
}

static void word_failed(struct fourletter *f)
{
    const char *problem = f->tls ? tls_problem(f->tls) : NULL;
    fourletter_finish(f, problem ? problem : uv_strerror(uv_translate_sys_error(errno)));
}

static void fourletter_word_read_one(struct fourletter *f)
{
    ssize_t got = 1;
    while (got > 0 && f->length <= f->limit && fourletter_make_room(f)) {
        size_t room = f->room - f->length - 1;
        got = f->tls ? tls_recv(f->tls, f->text + f->length, room)
                     : recv(f->fd, f->text + f->length, room, MSG_DONTWAIT);
        f->length += got > 0 ? (size_t)got : 0;
    }
    if (got > 0)
        fourletter_finish(f, "answer too large");
    else if (got == 0)
        fourletter_finish(f, NULL);
    else if (errno != EAGAIN && errno != EINTR && f->length && !(f->tls && tls_problem(f->tls)))
        fourletter_finish(f, NULL); /* a server that refuses a connection over its limit resets it */
    else if (errno != EAGAIN && errno != EINTR)
        word_failed(f);
}

/* Returns false if the word is not completely sent, or on failure. */
static bool word_write(struct fourletter *f)
{
    size_t length = strlen(f->word);
    while (f->sent < length) {
        ssize_t sent = f->tls ? tls_send(f->tls, f->word + f->sent, length - f->sent)
                              : send(f->fd, f->word + f->sent, length - f->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            word_failed(f);
        if (sent < 0)
            return false;
        f->sent += (size_t)sent;
    }
    return true;
}

static void on_word_ready(uv_poll_t *poll, int status, int events);

static void word_go_on(struct fourletter *f)
{
    bool written = word_write(f);
    if (written && f->fn)
        fourletter_word_read_one(f);
    if (!f->fn)
        return;
    bool waits_to_write = f->tls ? tls_wants_write(f->tls) : !written;
    uv_poll_start(&f->poll, UV_READABLE | (waits_to_write ? UV_WRITABLE : 0), on_word_ready);
}

static void word_connected(struct fourletter *f)
{
    int error = 0;
    socklen_t length = sizeof error;
    char problem[TLS_PROBLEM_TEXT];
    if (getsockopt(f->fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) {
        fourletter_finish(f, uv_strerror(uv_translate_sys_error(error ? error : errno)));
        return;
    }
    f->connected = true;
    f->begun_ns = uv_hrtime(); /* excludes the time to connect */
    if (f->security && f->security->tls.on) {
        struct tls_context *context = transport_tls(f->security);
        snprintf(problem, sizeof problem, "out of memory");
        f->tls = context ? tls_new(context, f->fd, f->name, f->host, problem) : NULL;
        if (!f->tls) {
            fourletter_finish(f, problem);
            return;
        }
    }
    word_go_on(f);
}

static void on_word_ready(uv_poll_t *poll, int status, int events)
{
    struct fourletter *f = poll->data;
    (void)events;
    if (!f->fn)
        return;
    if (!f->connected)
        word_connected(f);
    else
        word_go_on(f);
    if (status < 0 && f->fn) /* libuv found an error and does not name it */
        fourletter_finish(f, f->length ? NULL : uv_strerror(UV_ECONNRESET));
}

/* Returns 0, or libuv's error. */
static int connect_to(struct fourletter *f, const struct sockaddr *address)
{
    socklen_t length =
        address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return uv_translate_sys_error(errno);
    /* Otherwise, after a resumed TLS session, the word would wait for the acknowledgement of the handshake:
     * 40 ms that would count as the server's. */
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    int rc = connect(fd, address, length) != 0 && errno != EINPROGRESS ? uv_translate_sys_error(errno) : 0;
    if (rc == 0)
        rc = uv_poll_init(f->loop, &f->poll, fd);
    if (rc != 0) {
        close(fd);
        return rc;
    }
    f->fd = fd;
    f->poll.data = f;
    f->open++;
    return uv_poll_start(&f->poll, UV_WRITABLE, on_word_ready);
}

/* The same words as in http.c. */
static const char *lookup_problem(int status)
{
    return status == UV_EAI_NONAME || status == UV_EAI_NODATA || status == 0 ? "no such host"
                                                                             : uv_strerror(status);
}

static void on_lookup(struct name_asker *asker, int status, const struct addrinfo *found)
{
    struct fourletter *f = (struct fourletter *)(void *)asker;
    struct sockaddr_storage address = {0};
    if (!found) {
        fourletter_finish(f, lookup_problem(status));
        return;
    }
    memcpy(&address, found->ai_addr, found->ai_addrlen);
    if (found->ai_family == AF_INET6)
        ((struct sockaddr_in6 *)(void *)&address)->sin6_port = htons((uint16_t)f->port);
    else
        ((struct sockaddr_in *)(void *)&address)->sin_port = htons((uint16_t)f->port);
    int rc = connect_to(f, (const struct sockaddr *)&address);
    if (rc != 0)
        fourletter_finish(f, uv_strerror(rc));
}

static void fourletter_on_deadline(uv_timer_t *timer)
{
    struct fourletter *f = timer->data;
    fourletter_finish(f, f->failed ? uv_strerror(f->failed) : "no answer");
}

/* Stores the host, and "host:port" after it. */
static void keep_name(struct fourletter *f, const char *host, const char *port)
{
    size_t length = strlen(host) + 1, size = length + strlen(host) + strlen(port) + 4;
    char *name = xmalloc(length + size);
    memcpy(name + size, host, length);
    snprintf(name, size, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
    f->name = name;
    f->host = name + size;
}

struct fourletter *fourletter_ask(uv_loop_t *loop, const struct security_settings *security, const char *host,
                                  const char *port, const char *word, uint64_t deadline_ms, size_t limit,
                                  fourletter_fn fn, void *context)
{
    struct fourletter *f = xcalloc(1, sizeof *f);
    keep_name(f, host, port);
    f->loop = loop;
    f->security = security;
    f->fd = -1;
    f->fn = fn;
    f->context = context;
    f->limit = limit;
    f->begun_ns = uv_hrtime();
    strncpy(f->word, word, sizeof f->word - 1);
    f->asker.fn = on_lookup;
    f->port = atoi(port);
    uv_timer_init(loop, &f->timer);
    f->timer.data = f;
    f->open = 1;
    /* An address needs no look-up, which would wake libuv's threads. */
    struct sockaddr_storage literal;
    struct host_port server = {.host = (char *)(uintptr_t)host, .port = f->port};
    if (address_literal(&server, &literal))
        f->failed = connect_to(f, (const struct sockaddr *)&literal);
    else if (!name_ask(&f->asker, loop, host))
        f->failed = UV_ENOMEM;
    uv_timer_start(&f->timer, fourletter_on_deadline, f->failed ? 0 : deadline_ms, 0);
    return f;
}

void fourletter_cancel(struct fourletter *f)
{
    f->fn = NULL;
    fourletter_finish(f, "cancelled");
}
