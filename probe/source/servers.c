#include "probe/source/servers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/zookeeper/fourletter.h"

#define DEADLINE_MOST_MS 2000
#define ANSWER_MOST 65536
/* A poll's pause is at least this many times what the last answer took. */
#define PAUSE_FACTOR 100

struct one {
    struct servers *servers;
    char *address, *host, *port;
    struct fourletter *asking;
    uv_timer_t *timer;
    bool looked;
};

struct servers {
    struct live *live;
    struct one *all;
    size_t count;
};

static int64_t number_after(const char *text, const char *label, int base)
{
    const char *at = strstr(text, label);
    if (!at)
        return -1;
    at += strlen(label);
    char *end;
    errno = 0;
    long long value = strtoll(at, &end, base);
    return end == at || errno || value < 0 ? -1 : value;
}

bool srvr_parse(const char *text, struct observed_server *out, char *version, size_t version_size,
                const char **problem)
{
    static const char version_label[] = "Zookeeper version: ";
    if (strstr(text, "not currently serving requests")) {
        *problem = "not serving: no quorum, or just starting";
        return false;
    }
    if (strstr(text, "not in the whitelist")) {
        *problem = "four-letter word srvr is switched off (4lw.commands.whitelist)";
        return false;
    }
    const char *at = strstr(text, version_label), *mode = strstr(text, "Mode: ");
    if (!at || !mode) {
        *problem = "not a ZooKeeper answer";
        return false;
    }
    at += sizeof version_label - 1;
    snprintf(version, version_size, "%.*s", (int)strcspn(at, "-, \r\n"), at);
    mode += strlen("Mode: ");
    static const struct {
        const char *word;
        enum server_mode mode;
    } modes[] = {{"standalone", SERVER_STANDALONE},
                 {"leader", SERVER_LEADER},
                 {"follower", SERVER_FOLLOWER},
                 {"observer", SERVER_OBSERVER},
                 {"read-only", SERVER_READ_ONLY}};
    out->mode = SERVER_UNKNOWN;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strncmp(mode, modes[i].word, strlen(modes[i].word)) == 0)
            out->mode = modes[i].mode;
    int64_t connections = number_after(text, "Connections: ", 10);
    out->connections = connections > INT32_MAX ? -1 : (int)connections;
    out->zxid = number_after(text, "Zxid: ", 16);
    out->version = version;
    return true;
}

static void ask(struct one *one);

static void on_timer(uv_timer_t *timer)
{
    ask(timer->data);
}

static void on_answer(void *context, const char *problem, const char *text, size_t length, int64_t took_us)
{
    (void)length;
    struct one *one = context;
    struct live *live = one->servers->live;
    char version[64] = "";
    struct observation o = live_observation(live, OBSERVED_SERVER, NULL, NULL);
    o.server = (struct observed_server){
        .address = one->address, .answer_us = -1, .zxid = -1, .connections = -1, .problem = problem};
    if (text) {
        o.server.reachable = true;
        o.server.answer_us = took_us;
        srvr_parse(text, &o.server, version, sizeof version, &o.server.problem);
    }
    one->asking = NULL;
    one->looked = true;
    model_observe(live->model, &o);
    int64_t every_ms = live->cluster->servers.every_ms, least_ms = took_us / 1000 * PAUSE_FACTOR;
    if (every_ms > 0)
        uv_timer_start(one->timer, on_timer, (uint64_t)(every_ms > least_ms ? every_ms : least_ms), 0);
}

static void ask(struct one *one)
{
    struct live *live = one->servers->live;
    int64_t every_ms = live->cluster->servers.every_ms;
    uint64_t deadline_ms =
        every_ms > 0 && every_ms < DEADLINE_MOST_MS ? (uint64_t)every_ms : DEADLINE_MOST_MS;
    if (!one->asking)
        one->asking = fourletter_ask(live->loop, one->host, one->port, "srvr", deadline_ms, ANSWER_MOST,
                                     on_answer, one);
    if (!one->asking)
        one->looked = true;
}

/* "host:port", "[::1]:port" or a bare host. */
static bool one_split(struct one *one, const char *address, size_t length)
{
    const char *end = address + length, *host = address, *host_end = end, *port = NULL;
    const char *bracket = *address == '[' ? memchr(address, ']', length) : NULL;
    if (bracket) {
        host = address + 1;
        host_end = bracket;
        if (bracket + 1 < end && bracket[1] == ':')
            port = bracket + 2;
    } else {
        const char *colon = memchr(address, ':', length);
        if (colon) {
            host_end = colon;
            port = colon + 1;
        }
    }
    one->host = strndup(host, (size_t)(host_end - host));
    one->port = port ? strndup(port, (size_t)(end - port)) : strdup("2181");
    if (!one->host || !one->port)
        return false;
    size_t size = length + strlen(one->port) + 2;
    one->address = malloc(size);
    if (!one->address)
        return false;
    snprintf(one->address, size, "%.*s%s", (int)length, address, port ? "" : ":2181");
    return true;
}

static void on_timer_closed(uv_handle_t *handle)
{
    free(handle);
}

static bool one_add(struct servers *s, const char *address, size_t length)
{
    struct one *one = &s->all[s->count];
    one->servers = s;
    if (!one_split(one, address, length) || !(one->timer = calloc(1, sizeof *one->timer))) {
        free(one->address);
        free(one->host);
        free(one->port);
        return false;
    }
    uv_timer_init(s->live->loop, one->timer);
    one->timer->data = one;
    s->count++;
    return true;
}

struct servers *servers_new(struct live *live)
{
    struct servers *s = calloc(1, sizeof *s);
    char **configured = live->cluster->servers.addresses;
    size_t most = 1;
    for (const char *p = live->hosts; *p; p++)
        most += *p == ',';
    for (size_t i = 0; configured && configured[i]; i++)
        most++;
    if (!s || !(s->all = calloc(most, sizeof *s->all))) {
        free(s);
        return NULL;
    }
    s->live = live;
    bool good = true;
    for (size_t i = 0; good && configured && configured[i]; i++)
        good = one_add(s, configured[i], strlen(configured[i]));
    for (const char *p = live->hosts; good && !configured && *p;
         p += strcspn(p, ",") + (p[strcspn(p, ",")] == ','))
        good = one_add(s, p, strcspn(p, ","));
    if (!good) {
        servers_free(s);
        return NULL;
    }
    for (size_t i = 0; i < s->count; i++) {
        struct observation o = live_observation(live, OBSERVED_SERVER, NULL, NULL);
        o.server = (struct observed_server){.address = s->all[i].address,
                                            .answer_us = -1,
                                            .zxid = -1,
                                            .connections = -1,
                                            .problem = "not asked yet"};
        if (live->cluster->servers.four_letter == CHOICE_OFF) {
            o.server.problem = "not asked (four_letter: off)";
            s->all[i].looked = true;
        } else {
            ask(&s->all[i]);
        }
        model_observe(live->model, &o);
    }
    return s;
}

void servers_free(struct servers *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++) {
        if (s->all[i].asking)
            fourletter_cancel(s->all[i].asking);
        uv_timer_stop(s->all[i].timer);
        uv_close((uv_handle_t *)s->all[i].timer, on_timer_closed);
        free(s->all[i].address);
        free(s->all[i].host);
        free(s->all[i].port);
    }
    free(s->all);
    free(s);
}

bool servers_looked(const struct servers *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (!s->all[i].looked)
            return false;
    return true;
}
