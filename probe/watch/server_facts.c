#include "probe/watch/server_facts.h"

#include <stdlib.h>

#include "config/memory.h"
#include "probe/clock.h"
#include "probe/election/session_table.h"
#include "probe/log.h"
#include "probe/watch/election_watch.h"

static struct observation observation(const struct live_cluster *live, enum observation_kind kind,
                                      struct moment at)
{
    struct observation o = live_observation(live, kind, NULL, NULL);
    o.at = at;
    return o;
}

void server_facts_report_server(const struct live_cluster *live, const char *address,
                                const struct server_figures *f, bool reachable, int64_t took_us,
                                const char *problem)
{
    static const char alone[] = "read-only: it has no quorum, and accepts only read-only clients";
    struct observation o = live_observation(live, OBSERVED_SERVER, NULL, NULL);
    if (!problem && f->mode == SERVER_READ_ONLY)
        problem = alone;
    o.server =
        (struct observed_server){.address = address,
                                 .reachable = reachable,
                                 .mode = f->mode,
                                 .answer_us = took_us,
                                 .zxid = f->zxid,
                                 .connections = f->connections > INT32_MAX ? -1 : (int)f->connections,
                                 .tick_ms = f->tick_ms > 0 && f->tick_ms < 3600000 ? (int)f->tick_ms : 0,
                                 .version = f->version[0] ? f->version : NULL,
                                 .problem = problem};
    live_observe(live, &o);
}

int64_t server_facts_report_clock(const struct live_cluster *live, const char *address, int64_t date_s,
                                  int64_t took_us, int64_t before_us)
{
    int64_t ahead_us = date_s * 1000000 + 500000 - (clock_wall_us() - took_us / 2);
    if (took_us > CLOCKS_EQUAL_US / 2 || llabs(ahead_us - before_us) <= CLOCKS_EQUAL_US)
        return before_us;
    if (llabs(ahead_us) <= CLOCKS_EQUAL_US)
        ahead_us = 0;
    struct observation o = live_observation(live, OBSERVED_CLOCK, NULL, NULL);
    o.clock = (struct observed_clock){address, ahead_us};
    live_observe(live, &o);
    return ahead_us;
}

/* An implausible figure would overflow in calculations. */
static int64_t load_bounded(int64_t figure, int64_t unit)
{
    return figure < 0 || figure > INT64_C(1000000000000) ? -1 : figure * unit;
}

void server_facts_report_load(const struct live_cluster *live, const char *address,
                              const struct server_figures *f, bool part)
{
    struct observation o = live_observation(live, OBSERVED_LOAD, NULL, NULL);
    o.load = (struct observed_load){
        .address = address,
        .part = part,
        .load = {.id = load_bounded(f->server_id, 1),
                 .uptime_ms = load_bounded(f->uptime_ms, 1),
                 .latency_min_us = load_bounded(f->fastest_us, 1),
                 .latency_avg_us = load_bounded(f->average_us, 1),
                 .latency_max_us = load_bounded(f->slowest_ms, 1000),
                 .outstanding = load_bounded(f->outstanding, 1),
                 .znodes = load_bounded(f->znodes, 1),
                 .ephemerals = load_bounded(f->ephemerals, 1),
                 .watches = load_bounded(f->all_watches, 1),
                 .address_connections_most = load_bounded(f->address_connections_most, 1),
                 .slow_fsyncs = load_bounded(f->slow_fsyncs, 1)}};
    live_observe(live, &o);
}

void server_facts_report_unasked(const struct live_cluster *live, const char *address, bool ours,
                                 const char *problem)
{
    struct observation o = live_observation(live, OBSERVED_SERVER, NULL, NULL);
    o.server = (struct observed_server){.address = address,
                                        .unasked = true,
                                        .reachable = ours,
                                        .answer_us = -1,
                                        .zxid = -1,
                                        .connections = -1,
                                        .problem = problem};
    live_observe(live, &o);
}

void server_facts_report_hidden(const struct live_cluster *live, const char *address, enum hidden_part part,
                                const char *problem)
{
    struct observation o = live_observation(live, OBSERVED_HIDDEN, NULL, NULL);
    o.hidden = (struct observed_hidden){.address = address, .part = part, .problem = problem};
    live_observe(live, &o);
    log_line(LOG_LEVEL_DEBUG, "%s: %s", address, problem);
}

void server_facts_report_nothing(const struct live_cluster *live, const char *address, const char *problem)
{
    server_facts_report_hidden(live, address, HIDDEN_CONNECTIONS, problem);
    server_facts_report_hidden(live, address, HIDDEN_WATCHES, problem);
    server_facts_report_hidden(live, address, HIDDEN_SESSIONS, problem);
}

static bool server_facts_is_ours(const struct live_cluster *live, uint64_t session)
{
    for (size_t i = 0; session && i < live->shard_count; i++)
        if (session_id(live->shards[i].session) == session)
            return true;
    return false;
}

bool server_facts_show_ours(const struct live_cluster *live, const struct connection_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (server_facts_is_ours(live, list->list[i].session))
            return true;
    return false;
}

bool server_facts_sessions_show_ours(const struct live_cluster *live, const struct session_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (server_facts_is_ours(live, list->list[i].id))
            return true;
    return false;
}

/* The child watches of our sessions in the list. Changes of our watches that were reported before the answer
 * to the ping had taken effect by then. */
static int64_t own_children(const struct live_cluster *live, const struct connection_list *list,
                            int64_t counted_us)
{
    size_t count = 0;
    for (size_t shard = 0; counted_us != 0 && shard < live->shard_count; shard++)
        for (size_t i = 0; i < list->count; i++)
            if (list->list[i].session != 0 &&
                list->list[i].session == session_id(live->shards[shard].session))
                count += session_child_watches(live->shards[shard].session, counted_us);
    return (int64_t)count;
}

static int compare_ids(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Servers list them in an order that changes with their figures. The first member of each is its session. */
static void sort_by_session(void *list, size_t count, size_t size)
{
    if (count)
        qsort(list, count, size, compare_ids);
}

void server_facts_report_connections(const struct live_cluster *live, const char *address, struct moment at,
                                     int64_t pinged_us, int64_t counted_us, uint32_t source,
                                     const struct connection_list *list)
{
    int64_t latest_ms = -1, own_zxid = INT64_MAX;
    size_t own_count = 0;
    bool ours = pinged_us != 0 && server_facts_show_ours(live, list);
    /* An upper bound: whole milliseconds are shorter in a case. */
    int64_t took_us = (clock_now().mono_us - at.mono_us + 999) / 1000 * 1000;
    sort_by_session(list->list, list->count, sizeof *list->list);
    for (size_t i = 0; i < list->count; i++) {
        const struct seen_connection *c = &list->list[i];
        if (c->last_response_ms > latest_ms)
            latest_ms = c->last_response_ms;
        if (ours && server_facts_is_ours(live, c->session)) {
            own_count++;
            own_zxid = c->last_zxid < own_zxid ? c->last_zxid : own_zxid;
        }
    }
    uint64_t own[SESSION_SHARDS_MOST];
    for (size_t i = 0; i < live->shard_count; i++)
        own[i] = session_id(live->shards[i].session);
    bool all_ours = own_count > 0 && own_count == live->shard_count && own_zxid > 0;
    struct observation o = observation(live, OBSERVED_CONNECTIONS, at);
    o.connections =
        (struct observed_connections){.address = address,
                                      .list = list->list,
                                      .count = list->count,
                                      .now_ms = ours ? latest_ms : -1,
                                      .now_age_us = ours ? at.mono_us - pinged_us : 0,
                                      .took_us = took_us,
                                      .source = source,
                                      .own_children = ours ? own_children(live, list, counted_us) : 0,
                                      .own_sessions = own,
                                      .own_session_count = live->shard_count,
                                      .own_zxid = all_ours ? own_zxid : 0};
    live_observe(live, &o);
    log_line(LOG_LEVEL_DEBUG, "%s: %zu connections%s", address, list->count,
             ours ? ", with electop's own" : "");
}

void server_facts_report_watches(const struct live_cluster *live, const char *address, struct moment at,
                                 const char *from, uint32_t source, const struct watch_list *list,
                                 int64_t all_watches, int64_t counted_us)
{
    int64_t seen = (int64_t)list->path_count;
    sort_by_session(list->list, list->count, sizeof *list->list);
    struct observation o = observation(live, OBSERVED_WATCHES, at);
    o.watches = (struct observed_watches){.address = address,
                                          .from = from,
                                          .source = source,
                                          .list = list->list,
                                          .count = list->count,
                                          .child_watches = all_watches >= seen ? all_watches - seen : -1,
                                          .counted_us = counted_us};
    live_observe(live, &o);
    log_line(LOG_LEVEL_DEBUG, "%s: %zu watches by %s", address, list->path_count, from);
}

void server_facts_report_sessions(const struct live_cluster *live, const char *address, struct moment at,
                                  const struct session_list *list)
{
    if (list->count == 0) {
        server_facts_report_hidden(live, address, HIDDEN_SESSIONS,
                                   "no longer ZooKeeper's leader: only the leader knows the sessions");
        return;
    }
    sort_by_session(list->list, list->count, sizeof *list->list);
    struct observation o = observation(live, OBSERVED_SESSIONS, at);
    o.sessions = (struct observed_sessions){.address = address, .list = list->list, .count = list->count};
    live_observe(live, &o);
    log_line(LOG_LEVEL_DEBUG, "%s: %zu sessions", address, list->count);
}

/* The sessions that lead an election, sorted; malloc'd. */
static uint64_t *leading_sessions(const struct cluster *cluster, size_t *count)
{
    uint64_t *ids = xmalloc((cluster->election_count + 1) * sizeof *ids);
    *count = 0;
    for (size_t i = 0; i < cluster->election_count; i++) {
        const struct candidate *leader = cluster->elections[i]->leader;
        if (leader && leader->known && leader->stat.owner)
            ids[(*count)++] = leader->stat.owner;
    }
    qsort(ids, *count, sizeof *ids, compare_ids);
    return ids;
}

bool server_facts_show_moved(const struct live_cluster *live, const struct connection_list *list)
{
    const struct session_table *clients = live->model->clusters[live->index].clients;
    for (size_t i = 0; clients && i < list->count; i++) {
        const struct client *client = session_table_find(clients, list->list[i].session);
        if (client && client->owned && client->shown.established_ms < list->list[i].established_ms)
            return true;
    }
    return false;
}

int64_t server_facts_leader_timeout_ms(const struct live_cluster *live, const struct connection_list *list)
{
    size_t count;
    uint64_t *leading = leading_sessions(&live->model->clusters[live->index], &count);
    int64_t shortest_ms = 0;
    for (size_t i = 0; count && i < list->count; i++) {
        int timeout_ms = list->list[i].timeout_ms;
        if (timeout_ms > 0 && (!shortest_ms || timeout_ms < shortest_ms) &&
            bsearch(&list->list[i].session, leading, count, sizeof *leading, compare_ids))
            shortest_ms = timeout_ms;
    }
    free(leading);
    return shortest_ms;
}
