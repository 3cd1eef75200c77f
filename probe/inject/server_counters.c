#include "probe/inject/server_counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/connect_string.h"
#include "config/memory.h"
#include "probe/loop_timer.h"
#include "probe/zookeeper/adminserver.h"
#include "probe/zookeeper/fourletter.h"
#include "probe/zookeeper/http.h"

#define WITHIN_MS 2000
#define ANSWER_MOST 65536

struct server_counters {
    uv_loop_t *loop;
    uv_timer_t *turn;
    const struct cluster_settings *cluster;
    struct connect_string string;
    struct http *http;
    server_counters_fn fn;
    void *context;
    struct server_counter counters[SERVER_COUNTERS_MOST];
    size_t count, at;
    enum fourletter_word word;
    struct fourletter *word_ask;
    struct adminserver *admin_ask;
    struct server_answer answer;
    bool asked; /* at least one question went out: its answer leads on */
};

static void ask_next(struct server_counters *);

void server_counter_clear(struct server_counter *counter)
{
    *counter = (struct server_counter){"", -1, -1, -1, -1, -1, -1, -1, -1, -1};
}

bool server_counter_knows(const struct server_counter *counter)
{
    struct server_counter none;
    server_counter_clear(&none);
    return server_counter_raise(&none, counter);
}

bool server_counter_raise(struct server_counter *counter, const struct server_counter *other)
{
    const struct {
        int64_t *to, from;
    } all[] = {{&counter->zxid, other->zxid},
               {&counter->connections, other->connections},
               {&counter->watches, other->watches},
               {&counter->sessions, other->sessions},
               {&counter->ephemerals, other->ephemerals},
               {&counter->outstanding, other->outstanding},
               {&counter->slowest_ms, other->slowest_ms},
               {&counter->received, other->received},
               {&counter->sent, other->sent}};
    bool knows = false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        knows |= all[i].from >= 0;
        if (all[i].from > *all[i].to)
            *all[i].to = all[i].from;
    }
    return knows;
}

int64_t server_counter_transactions(const struct server_counter *before, const struct server_counter *after)
{
    bool same_epoch = before->zxid >= 0 && after->zxid >> 32 == before->zxid >> 32;
    return same_epoch && after->zxid >= before->zxid ? after->zxid - before->zxid : -1;
}

static int64_t server_counters_better(int64_t known, int64_t reported)
{
    return reported >= 0 ? reported : known;
}

static void server_counters_take(struct server_counters *m)
{
    struct server_counter *counter = &m->counters[m->at];
    const struct server_figures *figures = &m->answer.figures;
    counter->zxid = server_counters_better(counter->zxid, figures->zxid);
    counter->connections = server_counters_better(counter->connections, figures->connections);
    counter->watches = server_counters_better(counter->watches, figures->all_watches);
    counter->sessions = server_counters_better(counter->sessions, figures->sessions);
    counter->ephemerals = server_counters_better(counter->ephemerals, figures->ephemerals);
    counter->outstanding = server_counters_better(counter->outstanding, figures->outstanding);
    counter->slowest_ms = server_counters_better(counter->slowest_ms, figures->slowest_ms);
    counter->received = server_counters_better(counter->received, figures->received);
    counter->sent = server_counters_better(counter->sent, figures->sent);
}

static void counters_free(struct server_counters *m)
{
    loop_timer_free(m->turn);
    connect_string_free(&m->string);
    server_answer_free(&m->answer);
    http_free(m->http);
    free(m);
}

static void next_server(struct server_counters *m)
{
    m->at++;
    m->word = FOURLETTER_WORD_SRVR;
    ask_next(m);
}

static void server_counters_on_admin(void *context, const char *problem, int64_t took_us)
{
    (void)took_us;
    struct server_counters *m = context;
    m->admin_ask = NULL;
    if (!problem)
        server_counters_take(m);
    next_server(m);
}

/* Whose AdminServer answers at a port is plain for a single server only, or where it is configured. */
static bool ask_admin(struct server_counters *m)
{
    const struct servers_settings *servers = &m->cluster->servers;
    if (servers->admin_off || (!servers->admin_addresses && m->string.count > 1))
        return false;
    struct host_port place = {m->string.servers[m->at].host, servers->admin_port};
    char *error = NULL;
    bool parsed = false;
    if (servers->admin_addresses) {
        size_t i = 0;
        while (servers->admin_addresses[i] && i < m->at)
            i++;
        const char *address = servers->admin_addresses[i];
        parsed = address && host_port_parse(address, strlen(address), 0, &place, &error);
        free(error);
        if (!parsed)
            return false;
    }
    server_answer_free(&m->answer);
    server_answer_clear(&m->answer);
    m->admin_ask = adminserver_ask(m->http, place.host, place.port, ADMIN_MONITOR, WITHIN_MS, &m->answer,
                                   server_counters_on_admin, m);
    if (parsed)
        free(place.host);
    return m->admin_ask != NULL;
}

static void server_counters_on_word(void *context, const char *problem, const char *text, size_t length,
                                    int64_t took_us)
{
    (void)length, (void)took_us;
    struct server_counters *m = context;
    m->word_ask = NULL;
    server_answer_free(&m->answer);
    server_answer_clear(&m->answer);
    bool reported = !problem && !fourletter_word_read(m->word, text, &m->answer);
    if (reported)
        server_counters_take(m);
    if (m->word == FOURLETTER_WORD_SRVR &&
        !problem) { /* who does not answer is not asked the other word, too */
        m->word = FOURLETTER_WORD_MNTR;
        ask_next(m);
    } else if (reported || !ask_admin(m)) {
        next_server(m);
    }
}

/* In a separate turn: the source of the last answer is in use until its callback has returned. */
static void server_counters_on_turn(uv_timer_t *turn)
{
    struct server_counters *m = turn->data;
    m->fn(m->context, m->counters, m->count);
    counters_free(m);
}

static void ask_next(struct server_counters *m)
{
    while (m->at < m->count) {
        const struct host_port *server = &m->string.servers[m->at];
        char port[8];
        snprintf(port, sizeof port, "%d", server->port);
        if (m->cluster->servers.four_letter == CHOICE_AUTO)
            m->word_ask = fourletter_ask(m->loop, &m->cluster->security, server->host, port,
                                         fourletter_word_text(m->word), WITHIN_MS, ANSWER_MOST,
                                         server_counters_on_word, m);
        if (m->word_ask || ask_admin(m)) {
            m->asked = true;
            return;
        }
        m->at++;
        m->word = FOURLETTER_WORD_SRVR;
    }
    if (m->asked)
        uv_timer_start(m->turn, server_counters_on_turn, 0, 0);
}

struct server_counters *server_counters_ask(uv_loop_t *loop, const struct cluster_settings *cluster,
                                            server_counters_fn fn, void *context)
{
    struct server_counters *m = xcalloc(1, sizeof *m);
    char *error = NULL;
    m->loop = loop;
    m->cluster = cluster;
    m->fn = fn;
    m->context = context;
    server_answer_clear(&m->answer);
    m->http = http_new(loop, &cluster->security);
    m->turn = loop_timer_new(loop, m);
    if (!m->http || !connect_string_parse(cluster->hosts, &m->string, &error)) {
        free(error);
        counters_free(m);
        return NULL;
    }
    m->count = m->string.count < SERVER_COUNTERS_MOST ? m->string.count : SERVER_COUNTERS_MOST;
    for (size_t i = 0; i < m->count; i++) {
        char *address = host_port_print(&m->string.servers[i]);
        server_counter_clear(&m->counters[i]);
        snprintf(m->counters[i].address, sizeof m->counters[i].address, "%s", address);
        free(address);
    }
    if (cluster->servers.four_letter == CHOICE_AUTO || !cluster->servers.admin_off)
        ask_next(m);
    if (m->word_ask || m->admin_ask)
        return m;
    counters_free(m); /* nothing may be asked */
    return NULL;
}

void server_counters_cancel(struct server_counters *m)
{
    if (!m)
        return;
    if (m->word_ask)
        fourletter_cancel(m->word_ask);
    if (m->admin_ask)
        adminserver_cancel(m->admin_ask);
    counters_free(m);
}
