#include "probe/watch/server_poll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/clock.h"
#include "probe/log.h"
#include "probe/watch/server_facts.h"

/* The request failed: how long to wait before the next. */
static void leave_alone(struct server_poll *q, int64_t took_us, const char *problem)
{
    q->admin_failed = true;
    uint64_t pause_ms = (uint64_t)RETRY_FIRST_MS << (q->admin_failures < 4 ? q->admin_failures++ : 4);
    pause_ms = took_us < 100000 ? 0 : pause_ms < RETRY_MS ? pause_ms : RETRY_MS;
    q->admin_retry_ms = uv_now(q->live->loop) + pause_ms;
    snprintf(q->admin_failure, sizeof q->admin_failure, "%s", problem);
}

/* ZooKeeper 3.10 or later may list its watches in detail. */
static bool lists_details(const struct server_poll *q)
{
    int major = 0, minor = 0;
    sscanf(q->answer.figures.version, "%d.%d", &major, &minor);
    return q->step == STEP_WATCHES && !q->no_details && (major > 3 || (major == 3 && minor >= 10));
}

static void server_poll_admin_on_admin(void *context, const char *problem, int64_t took_us)
{
    struct server_poll *q = context;
    q->admin_ask = NULL;
    if (problem && q->details) { /* it lists them without */
        q->no_details = true;
        server_poll_ask_adminserver(q);
        return;
    }
    q->answered |= !problem;
    server_poll_count_cost(q, &q->answer, took_us, !problem);
    char doubtful[160];
    const char *doubted = problem ? NULL : server_poll_doubt(q, doubtful, sizeof doubtful);
    if (doubted) {
        server_poll_lists_free(q);
        server_poll_way_failed(q, doubted);
        return;
    }
    if (!problem) {
        q->admin_failed = false;
        q->admin_failures = 0;
        int64_t date_s = q->answer.figures.date_s;
        if (date_s > 0)
            q->ahead_us = server_facts_report_clock(q->live, q->address, date_s, took_us, q->ahead_us);
        server_poll_step_succeeded(q, took_us);
        return;
    }
    q->proof = PROOF_OPEN; /* another one may replace it */
    /* If even its figures failed, or a request timed out, the other requests would fail as well. */
    if (server_poll_asks_figures(q->step) || took_us >= server_poll_ways[q->step].within_ms * 1000)
        leave_alone(q, took_us, problem);
    server_poll_way_failed(q, problem);
}

/* Proves which server the AdminServer belongs to. */

static void server_poll_admin_prove(struct server_poll *q, enum admin_command command);

/* Chooses the AdminServer to use from now on. False: there is none. */
static bool server_poll_admin_choose(struct server_poll *q)
{
    struct admin_choice choice;
    q->admin_count = server_addresses_admins(q->places, q->address);
    if (q->admin_count == 0)
        return false;
    q->admin_at %= q->admin_count;
    if (!server_addresses_admin(q->places, q->address, q->admin_at, &choice))
        return false;
    if (!q->admin_host || strcmp(q->admin_host, choice.host) != 0) {
        char *host = xstrdup(choice.host);
        free(q->admin_host);
        q->admin_host = host;
    }
    q->admin_port = choice.port;
    q->admin_sure = choice.sure;
    return true;
}

/* This one is another server's, or does not answer: tries the next candidate. False: all have been tried. */
static bool try_another(struct server_poll *q)
{
    if (++q->admin_tried >= q->admin_count)
        return false;
    q->admin_at++;
    if (!server_poll_admin_choose(q))
        return false;
    server_poll_admin_prove(q, ADMIN_CONFIGURATION);
    return true;
}

static void proved_own(struct server_poll *q)
{
    if (q->admin_tried > 0)
        log_line(LOG_LEVEL_INFO, "%s: its AdminServer is %s:%d, one of %zu possible ones", q->address,
                 q->admin_host, q->admin_port, q->admin_count);
    q->proof = PROOF_OWN;
    if (q->identity.figures.tick_ms > 0)
        q->tick_ms = q->identity.figures.tick_ms;
    q->server_id = q->identity.figures.server_id;
    q->address_connections_most = q->identity.figures.address_connections_most;
    q->proved_ms = uv_now(q->live->loop);
    server_answer_free(&q->identity);
    server_poll_ask_adminserver(q);
}

static void proved_foreign(struct server_poll *q, const char *foreign)
{
    server_answer_free(&q->identity);
    if (q->admin_tried == 0)
        snprintf(q->foreign, sizeof q->foreign, "%s", foreign);
    if (try_another(q))
        return;
    q->proof = PROOF_FOREIGN;
    q->proved_ms = uv_now(q->live->loop);
    if (q->admin_count > 1)
        snprintf(q->foreign, sizeof q->foreign,
                 "none of the %zu named AdminServers belongs to this server: the last %s", q->admin_count,
                 strncmp(foreign, "it ", 3) == 0 ? foreign + 3 : foreign);
    server_poll_way_failed(q, q->foreign);
}

static bool server_poll_admin_has_tls(const struct server_poll *q)
{
    return q->live->cluster->security.tls.on;
}

/* AdminServer reports the client port without TLS, and none (-1) if only a TLS port exists. */
static int64_t reported_port(const struct server_poll *q)
{
    int64_t port = q->identity.figures.client_port;
    return server_poll_admin_has_tls(q) && port != atoi(q->port) ? 0 : port;
}

#define SHARED_ADDRESS "it answers for several servers, as an address that they share does"

/* Behind a forwarded port only a fact unique to this server proves it: our session's connection. */
static void configuration_came(struct server_poll *q)
{
    const struct server_figures *a = &q->identity.figures;
    char foreign[sizeof q->foreign];
    int port = atoi(q->port);
    int64_t id = server_addresses_id(q->places, q->address);
    if (!server_addresses_admin_is_one(q->places, q->admin_host, q->admin_port, a->server_id)) {
        proved_foreign(q, SHARED_ADDRESS);
    } else if (reported_port(q) > 0 && reported_port(q) != port) {
        snprintf(foreign, sizeof foreign, "it belongs to another server (its client port is %lld, not %d)",
                 (long long)reported_port(q), port);
        if (server_addresses_with_port(q->places, (int)reported_port(q)) > 0)
            proved_foreign(q, foreign);
        else
            server_poll_admin_prove(q, ADMIN_CONNECTIONS);
    } else if (id > 0 && a->server_id > 0 && id != a->server_id) {
        snprintf(foreign, sizeof foreign, "it belongs to another server (its id is %lld, not %lld)",
                 (long long)a->server_id, (long long)id);
        proved_foreign(q, foreign);
    } else if ((reported_port(q) == port || (server_poll_admin_has_tls(q) && q->admin_sure)) &&
               (q->admin_sure || (id > 0 && id == a->server_id) ||
                server_addresses_with_port(q->places, port) == 1)) {
        server_poll_admin_prove(q, ADMIN_SERVER_STATS);
    } else {
        server_poll_admin_prove(q, ADMIN_CONNECTIONS);
    }
}

static void server_poll_admin_connections_came(struct server_poll *q)
{
    char foreign[sizeof q->foreign];
    int port = atoi(q->port);
    if (server_addresses_prove(q->places, q->host, port, &q->identity.connections)) {
        proved_own(q);
        return;
    }
    if (reported_port(q) > 0 && reported_port(q) != port)
        snprintf(foreign, sizeof foreign, "it belongs to another server (its client port is %lld, not %d)",
                 (long long)reported_port(q), port);
    else if (reported_port(q) > 0)
        snprintf(foreign, sizeof foreign,
                 "it does not show its server: name it by the host of its server (others have port %d too)",
                 port);
    else
        snprintf(foreign, sizeof foreign, "it does not show its server (it names no client port)");
    proved_foreign(q, foreign);
}

/* Same port and id: its own figures must equal the server's. */
static void stats_came(struct server_poll *q)
{
    const struct server_figures *a = &q->identity.figures, *f = &q->answer.figures;
    char foreign[sizeof q->foreign];
    if (f->version[0] && a->version[0] && strcmp(f->version, a->version) != 0) {
        snprintf(foreign, sizeof foreign, "it belongs to another server (its version is %s, not %s)",
                 a->version, f->version);
        proved_foreign(q, foreign);
    } else if (f->mode != SERVER_UNKNOWN && a->mode != SERVER_UNKNOWN && f->mode != a->mode) {
        proved_foreign(q, "it belongs to another server (it has another role)");
    } else if (f->zxid >= 0 && a->zxid >= 0 && (a->zxid < f->zxid || a->zxid >> 32 != f->zxid >> 32)) {
        proved_foreign(q, "it belongs to another server (its last transaction is another)");
    } else {
        proved_own(q);
    }
}

static void on_identity(void *context, const char *problem, int64_t took_us)
{
    struct server_poll *q = context;
    bool in_time = took_us < FIGURES_WITHIN_MS * 1000;
    q->admin_ask = NULL;
    /* Its figures are not charged: see there. */
    if (q->proving == ADMIN_CONNECTIONS)
        server_poll_count_cost(q, &q->identity, took_us, !problem);
    /* ZooKeeper 3.5 has this command, too. A server without it may still be proved by a unique fact. */
    bool silent = problem && q->proving == ADMIN_CONFIGURATION && in_time && strstr(problem, "not an answer");
    if (!problem || silent) {
        if (q->proving == ADMIN_CONFIGURATION)
            configuration_came(q);
        else if (q->proving == ADMIN_CONNECTIONS)
            server_poll_admin_connections_came(q);
        else
            stats_came(q);
        return;
    }
    server_answer_free(&q->identity);
    char said[sizeof q->admin_failure];
    snprintf(said, sizeof said, "%s", problem); /* the buffer may be the next one's */
    /* An AdminServer that hangs may be another server's. Two of them are enough for one round; the next round
     * continues after them. */
    q->admin_hangs += !in_time;
    if (q->admin_hangs < 2 ? try_another(q) : (q->admin_at++, false))
        return;
    leave_alone(q, took_us, said);
    server_poll_way_failed(q, said);
}

static void server_poll_admin_prove(struct server_poll *q, enum admin_command command)
{
    if (command == ADMIN_CONFIGURATION)
        server_answer_clear(&q->identity);
    q->proving = command;
    q->admin_ask = adminserver_ask(q->http, q->admin_host, q->admin_port, command,
                                   command == ADMIN_CONNECTIONS ? LISTS_WITHIN_MS : FIGURES_WITHIN_MS,
                                   &q->identity, on_identity, q);
    if (!q->admin_ask)
        server_poll_way_failed(q, "the request cannot be sent");
}

void server_poll_ask_adminserver(struct server_poll *q)
{
    bool retry = q->step <= STEP_SUMMARY && uv_now(q->live->loop) >= q->admin_retry_ms;
    if (q->live->cluster->servers.admin_off) {
        server_poll_way_failed(q, "AdminServer is not used (admin: off)");
    } else if (q->admin_failed && !retry) {
        server_poll_way_failed(q, q->admin_failure);
    } else if (q->proof == PROOF_OWN &&
               !server_addresses_admin_is_one(q->places, q->admin_host, q->admin_port, 0)) {
        q->admin_tried = q->admin_hangs = 0;
        proved_foreign(q, SHARED_ADDRESS);
    } else if (q->proof == PROOF_FOREIGN) {
        server_poll_way_failed(q, q->foreign);
    } else if (q->proof == PROOF_OPEN) {
        q->admin_tried = q->admin_hangs = 0;
        if (server_poll_admin_choose(q))
            server_poll_admin_prove(q, ADMIN_CONFIGURATION);
        else
            server_poll_way_failed(q, "none of the named AdminServers is on its host (admin)");
    } else {
        server_poll_expect_ours(q);
        q->asked_at = clock_now();
        q->details = lists_details(q);
        q->admin_ask =
            adminserver_ask(q->http, q->admin_host, q->admin_port,
                            q->details ? ADMIN_WATCH_DETAILS : server_poll_ways[q->step].command,
                            server_poll_ways[q->step].within_ms, &q->answer, server_poll_admin_on_admin, q);
        if (!q->admin_ask)
            server_poll_way_failed(q, "the request cannot be sent");
    }
}
