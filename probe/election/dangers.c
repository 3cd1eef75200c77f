#include "probe/election/dangers.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "probe/election/chain.h"
#include "probe/election/client.h"

/* A follower this far behind shows its clients an old state: they see a leader's end as late. */
#define LAG_US INT64_C(2000000)
/* Of the connections that one client address may have. */
#define CONNECTIONS_PERCENT 90
/* Answers in a row that are slow: one may be a pause of this program. */
#define SLOW_ANSWERS 3

int cluster_shortest_timeout_ms(const struct cluster *cluster)
{
    int shortest_ms = 0;
    for (size_t i = 0; i < cluster->election_count; i++) {
        const struct candidate *leader = cluster->elections[i]->leader;
        const struct client_session *session = leader ? candidate_client(leader) : NULL;
        if (session && session->timeout_ms > 0 && (!shortest_ms || session->timeout_ms < shortest_ms))
            shortest_ms = session->timeout_ms;
    }
    return shortest_ms;
}

struct danger_list {
    struct server_danger *dangers;
    size_t count;
};

__attribute__((format(printf, 5, 6))) static void danger_add(struct danger_list *list, const char *code,
                                                             enum severity severity, const char *advice,
                                                             const char *evidence, ...)
{
    struct server_danger *danger = &list->dangers[list->count++];
    va_list arguments;
    *danger = (struct server_danger){.code = code, .severity = severity, .advice = advice};
    va_start(arguments, evidence);
    vsnprintf(danger->evidence, sizeof danger->evidence, evidence, arguments);
    va_end(arguments);
}

/* The fastest of its latest answers; -1: there are not enough. */
static int64_t fastest_us(const struct server *server)
{
    int64_t fastest = INT64_MAX;
    if (server->answer_count < SLOW_ANSWERS)
        return -1;
    for (unsigned i = 1; i <= SLOW_ANSWERS; i++) {
        int64_t us = server->answers_us[(server->answer_count - i) % SERVER_ANSWERS_KEPT];
        fastest = us < fastest ? us : fastest;
    }
    return fastest;
}

static void judge_latency(struct danger_list *list, const struct cluster *cluster,
                          const struct server *server)
{
    int timeout_ms = cluster_shortest_timeout_ms(cluster);
    int64_t limit_us = (int64_t)timeout_ms * 1000 / 3, fastest = fastest_us(server);
    if (!limit_us)
        return;
    if (fastest > limit_us)
        danger_add(list, "server-slow", SEVERITY_ERROR,
                   "check its load, its disk (fsync) and its garbage collection",
                   "its last %d answers took at least %" PRId64
                   " ms, more than a third of a leader's session timeout of %d ms: sessions may expire "
                   "although their clients are alive",
                   SLOW_ANSWERS, fastest / 1000, timeout_ms);
    else if (server->load.latency_avg_us > limit_us)
        danger_add(list, "server-slow", SEVERITY_WARNING,
                   "check its load, its disk (fsync) and its garbage collection",
                   "it reports an average latency of %" PRId64 " ms, more than a third of a leader's session "
                   "timeout of %d ms",
                   server->load.latency_avg_us / 1000, timeout_ms);
}

static void judge_connections(struct danger_list *list, const struct server *server)
{
    int64_t most = server->load.address_connections_most;
    if (most <= 0 || server->busiest_connections < 0 ||
        server->busiest_connections * INT64_C(100) < most * CONNECTIONS_PERCENT)
        return;
    danger_add(list, "server-connections", SEVERITY_WARNING,
               "find the client that does not close its connections, or raise maxClientCnxns",
               "%d connections from %s, of %" PRId64
               " allowed for one address: a candidate there could not reconnect after a disconnection",
               server->busiest_connections, server->busiest_address, most);
}

size_t server_dangers(const struct cluster *cluster, const struct server *server,
                      struct server_danger dangers[SERVER_DANGERS_MOST])
{
    struct danger_list list = {.dangers = dangers};
    if (server_reach(cluster, server) != SERVER_ANSWERS)
        return 0;
    if (server->mode == SERVER_READ_ONLY)
        danger_add(&list, "server-read-only", SEVERITY_ERROR,
                   "it has lost the quorum: check the network between the servers",
                   "it is read-only: its clients see an old state and cannot become candidates");
    judge_latency(&list, cluster, server);
    if (server->slow_fsync.mono_us)
        danger_add(&list, "server-slow-disk", SEVERITY_WARNING,
                   "give its transaction log a dedicated disk, and find out what else writes to this one",
                   "in the last ten minutes, writing its transaction log to disk took longer than "
                   "fsync.warningthresholdms (1 s unless set); %" PRId64 " times since it started",
                   server->load.slow_fsyncs);
    if (server->lag > 0 && server->lag_us >= LAG_US)
        danger_add(&list, "server-lagging", SEVERITY_WARNING,
                   "check its load, its disk and its network to the leader",
                   "it is %" PRId64
                   " transactions behind, for %.1f s: its clients learn that much later that a leader has "
                   "left",
                   server->lag, (double)server->lag_us / 1e6);
    judge_connections(&list, server);
    if (server->hidden[HIDDEN_WATCHES])
        danger_add(&list, "server-hides-watches", SEVERITY_INFO,
                   "turn AdminServer on, or name its port: then electop can see a broken watch chain there",
                   "%s", server->hidden[HIDDEN_WATCHES]);
    return list.count;
}
