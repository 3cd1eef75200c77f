#include "probe/source/servers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/connect_string.h"
#include "probe/zookeeper/fourletter.h"

#define DEADLINE_MOST_MS 2000
#define ANSWER_MOST 65536
/* A poll's pause is at least this many times what the last answer took. */
#define PAUSE_FACTOR 100

struct one {
    struct servers *servers;
    char *address, *host, port[8];
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
    int64_t every_ms = live->cluster->servers.every_ms, least_ms = text ? took_us / 1000 * PAUSE_FACTOR : 0;
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

static void on_timer_closed(uv_handle_t *handle)
{
    free(handle);
}

static bool one_add(struct servers *s, const struct host_port *server)
{
    struct one *one = &s->all[s->count];
    one->servers = s;
    one->host = strdup(server->host);
    one->address = host_port_print(server);
    one->timer = calloc(1, sizeof *one->timer);
    if (!one->host || !one->address || !one->timer) {
        free(one->host);
        free(one->address);
        free(one->timer);
        return false;
    }
    snprintf(one->port, sizeof one->port, "%d", server->port);
    uv_timer_init(s->live->loop, one->timer);
    one->timer->data = one;
    s->count++;
    return true;
}

/* The servers of the configuration, else those of the connect string. */
static bool add_all(struct servers *s)
{
    char **configured = s->live->cluster->servers.addresses, *error = NULL;
    struct connect_string named;
    if (!connect_string_parse(s->live->cluster->hosts, &named, &error)) {
        free(error);
        return false;
    }
    size_t count = named.count;
    for (size_t i = 0; configured && configured[i]; i++)
        count = i + 1;
    s->all = calloc(count, sizeof *s->all);
    bool good = s->all != NULL;
    for (size_t i = 0; good && i < count; i++) {
        if (!configured) {
            good = one_add(s, &named.servers[i]);
            continue;
        }
        struct host_port server;
        good = host_port_parse(configured[i], strlen(configured[i]), ZOOKEEPER_PORT, &server, &error);
        if (good) {
            good = one_add(s, &server);
            free(server.host);
        }
    }
    free(error);
    connect_string_free(&named);
    return good;
}

struct servers *servers_new(struct live *live)
{
    struct servers *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->live = live;
    if (!add_all(s)) {
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
