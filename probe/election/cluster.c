#include "probe/election/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "config/znode_path.h"
#include "probe/election/announced.h"
#include "probe/election/election.h"
#include "probe/election/election_private.h"
#include "probe/election/failover_case.h"
#include "probe/election/leadership.h"
#include "probe/election/replicas.h"
#include "probe/election/session_table.h"
#include "probe/election/update.h"

#define PATH_SEED 0x6c62272e07bb0142u

uint32_t cluster_path_hash(const char *path, size_t length)
{
    return hash_bytes(path, length, PATH_SEED);
}

static uint32_t hash_of_election(const struct hash_link *link)
{
    return HASH_ENTRY(link, struct election_private, by_path)->path_hash;
}

struct election *cluster_election(const struct cluster *cluster, const char *path, size_t length)
{
    uint32_t hash = cluster_path_hash(path, length);
    for (struct hash_link *link = hash_table_first(&cluster->by_path, hash); link; link = link->next) {
        const struct election_private *own = HASH_ENTRY(link, struct election_private, by_path);
        if (own->path_hash == hash && strncmp(own->election->path, path, length) == 0 &&
            own->election->path[length] == '\0')
            return own->election;
    }
    return NULL;
}

struct election *cluster_election_around(const struct cluster *cluster, const char *path, size_t *length)
{
    const char *slash = strrchr(path, '/');
    *length = strlen(path);
    struct election *own = cluster_election(cluster, path, *length);
    if (own || !slash)
        return own;
    *length = slash == path ? 1 : (size_t)(slash - path);
    return cluster_election(cluster, path, *length);
}

/* The order in which a server lists discovered elections means nothing: those are sorted by path, after
   configured ones, which keep their order. */
static bool stands_before(const struct election *one, const struct election *newcomer)
{
    bool found = one->origin != ORIGIN_CONFIGURED, found_too = newcomer->origin != ORIGIN_CONFIGURED;
    return !found || (found_too && znode_path_compare(one->path, newcomer->path) < 0);
}

size_t cluster_place(const struct cluster *cluster, const struct election *newcomer)
{
    size_t low = 0, high = cluster->election_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (stands_before(cluster->elections[middle], newcomer))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void cluster_add(struct cluster *cluster, struct election *election)
{
    room_for_one(&cluster->elections, cluster->election_count, &cluster->election_room,
                 sizeof(struct election *));
    cluster->by_path.hash_of = hash_of_election;
    hash_table_add(&cluster->by_path, &election->own->by_path);
    size_t place = cluster_place(cluster, election);
    memmove(cluster->elections + place + 1, cluster->elections + place,
            (cluster->election_count++ - place) * sizeof(struct election *));
    cluster->elections[place] = election;
    cluster->paths_changed = true;
}

void cluster_remove(struct cluster *cluster, struct election *election)
{
    hash_table_remove(&cluster->by_path, &election->own->by_path);
    size_t at = 0;
    while (cluster->elections[at] != election)
        at++;
    memmove(cluster->elections + at, cluster->elections + at + 1,
            (cluster->election_count - at - 1) * sizeof(struct election *));
    cluster->election_count--;
    cluster->paths_changed = true;
}

int cluster_tick_ms(const struct cluster *cluster)
{
    int tick_ms = 0;
    for (size_t i = 0; i < cluster->server_count; i++)
        if (cluster->servers[i].tick_ms > tick_ms)
            tick_ms = cluster->servers[i].tick_ms;
    return tick_ms;
}

enum server_reach server_reach(const struct cluster *cluster, const struct server *server)
{
    bool here = cluster->server_count == 1 ||
                (cluster->connected_to && strcmp(cluster->connected_to, server->address) == 0);
    if (cluster->silent_since.mono_us && here)
        return SERVER_SILENT;
    if (!server->unasked)
        return server->reachable ? SERVER_ANSWERS : SERVER_SILENT;
    bool ours = server->reachable && cluster->connection == CONNECTION_CONNECTED;
    return ours ? SERVER_ANSWERS : SERVER_NOT_ASKED;
}

int64_t server_epoch(const struct server *server)
{
    return server->zxid < 0 ? -1 : server->zxid >> 32;
}

bool cluster_shows(const struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->election_count; i++)
        if (cluster->elections[i]->state != ELECTION_UNKNOWN &&
            cluster->elections[i]->state != ELECTION_ABSENT)
            return true;
    return false;
}

bool cluster_is_from_logs(const struct cluster *cluster)
{
    return cluster->connection == CONNECTION_CONNECTED && cluster->session == 0 && cluster->server_count == 0;
}

int64_t cluster_stat_us(const struct cluster *cluster, int64_t zxid, int64_t stat_ms)
{
    int64_t ms = znode_time_ms(stat_ms);
    bool of_its_clock = !cluster->clocks_differ || zxid >> 32 == cluster->epoch;
    return ms ? ms * 1000 - (of_its_clock ? cluster->ahead_us : 0) : 0;
}

const char *server_mode_word(enum server_mode mode)
{
    static const char *const words[] = {
        [SERVER_UNKNOWN] = NULL,        [SERVER_STANDALONE] = "standalone", [SERVER_LEADER] = "leader",
        [SERVER_FOLLOWER] = "follower", [SERVER_OBSERVER] = "observer",     [SERVER_READ_ONLY] = "read-only"};
    return words[mode];
}

/* ---- the servers of a cluster: who belongs to it, how each is, and what each one's lists show ---- */

void server_end(struct server *server)
{
    free(server->address);
    free(server->version);
    free(server->problem);
    for (size_t i = 0; i < sizeof server->hidden / sizeof server->hidden[0]; i++)
        free(server->hidden[i]);
}

/* What its servers' lists prove depends on the members of the ensemble, on which of them are known, and on the number
   of watches on children. */
static void diagnose_all(struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->election_count; i++)
        diagnose_soon(cluster->elections[i]);
}

struct server *servers_get(struct cluster *cluster, const char *address)
{
    for (size_t i = 0; i < cluster->server_count; i++)
        if (strcmp(cluster->servers[i].address, address) == 0)
            return &cluster->servers[i];
    struct server *servers = xreallocarray(cluster->servers, cluster->server_count + 1, sizeof *servers);
    cluster->servers = servers;
    struct server *server = &servers[cluster->server_count];
    *server = (struct server){.address = text_copy(address),
                              .answer_us = -1,
                              .zxid = -1,
                              .connections = -1,
                              .child_watches = -1,
                              .foreign_children = -1,
                              .load = SERVER_LOAD_UNKNOWN,
                              .busiest_connections = -1,
                              .lag = -1};
    cluster->server_count++;
    diagnose_all(cluster);
    return server;
}

bool server_is_captured(const struct server *server)
{
    return server->watches_from && strcmp(server->watches_from, "capture") == 0;
}

/* A part of its facts is known again, or cannot be had. */
static void server_hides(struct model *model, struct cluster *cluster, struct server *server,
                         enum hidden_part part, const char *problem)
{
    bool was_hidden = server->hidden[part] != NULL;
    if (part == HIDDEN_WATCHES && problem && server_is_captured(server))
        return; /* packets show them */
    model->generation += text_replace(&server->hidden[part], problem);
    if (!problem)
        return;
    if (part == HIDDEN_CONNECTIONS)
        server->busiest_connections = -1;
    if (part == HIDDEN_WATCHES) {
        server->watches_from = NULL;
        server->child_watches = -1;
        announced_forget(server);
    }
    /* The reason for an unknown link is shown for candidates without any facts of servers, too. */
    for (size_t i = 0; !was_hidden && part != HIDDEN_SESSIONS && i < cluster->election_count; i++)
        diagnose_soon(cluster->elections[i]);
    if (!was_hidden)
        session_table_hidden(cluster, (size_t)(server - cluster->servers), part);
}

/* ---- the client address with most connections ---- */

struct client_address {
    const char *text;
    size_t length, count;
};

static int address_compare(const struct client_address *a, const struct client_address *b)
{
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->text, b->text, shorter);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

static void server_find_busiest(struct server *server, const struct observed_connections *seen)
{
    size_t room = 16;
    while (room < 2 * seen->count)
        room *= 2;
    struct client_address *all = xcalloc(room, sizeof *all), most = {0};
    for (size_t i = 0; i < seen->count; i++) {
        const char *text = seen->list[i].client, *colon = text ? strrchr(text, ':') : NULL;
        struct client_address one = {text, colon ? (size_t)(colon - text) : 0, 0};
        size_t at = colon ? hash_bytes(text, one.length, 0) & (room - 1) : 0;
        while (colon && all[at].text && address_compare(&all[at], &one) != 0)
            at = (at + 1) & (room - 1);
        if (!colon)
            continue;
        one.count = all[at].count + 1;
        all[at] = one;
        if (one.count > most.count || (one.count == most.count && address_compare(&one, &most) < 0))
            most = one;
    }
    server->busiest_connections = (int)most.count;
    snprintf(server->busiest_address, sizeof server->busiest_address, "%.*s", (int)most.length,
             most.count ? most.text : "");
    free(all);
}

void servers_lists(struct model *model, struct cluster *cluster, const struct observation *o)
{
    const char *address = o->kind == OBSERVED_CONNECTIONS ? o->connections.address
                          : o->kind == OBSERVED_WATCHES   ? o->watches.address
                          : o->kind == OBSERVED_SESSIONS  ? o->sessions.address
                                                          : o->hidden.address;
    struct server *server = address ? servers_get(cluster, address) : NULL;
    if (!server)
        return;
    size_t index = (size_t)(server - cluster->servers);
    switch (o->kind) {
    case OBSERVED_CONNECTIONS:
        server_hides(model, cluster, server, HIDDEN_CONNECTIONS, NULL);
        session_table_connections(cluster, index, o->at, &o->connections);
        server_find_busiest(server, &o->connections);
        failover_cases_connections(cluster, index, o->at, &o->connections);
        if (announced_settle(cluster, server, &o->connections))
            diagnose_all(cluster);
        break;
    case OBSERVED_WATCHES:
        server_hides(model, cluster, server, HIDDEN_WATCHES, NULL);
        server->watches_from =
            o->watches.from && strcmp(o->watches.from, "four-letter") == 0 ? "four-letter" : "adminserver";
        server->watches_seen = o->at;
        if (server->child_watches != o->watches.child_watches)
            diagnose_all(cluster);
        server->child_watches = o->watches.child_watches;
        announced_counted(server, &o->watches);
        server->watch_count = 0;
        for (size_t i = 0; i < o->watches.count; i++)
            server->watch_count += o->watches.list[i].count;
        session_table_watches(cluster, index, o->at, &o->watches);
        break;
    case OBSERVED_SESSIONS:
        server_hides(model, cluster, server, HIDDEN_SESSIONS, NULL);
        session_table_sessions(cluster, index, o->at, &o->sessions);
        failover_cases_sessions(cluster, index, o->at, &o->sessions);
        break;
    default:
        if (o->hidden.part <= HIDDEN_SESSIONS)
            server_hides(model, cluster, server, o->hidden.part,
                         o->hidden.problem ? o->hidden.problem : "unknown");
        break;
    }
    for (size_t i = 0; i < cluster->election_count; i++)
        if (cluster->elections[i]->suspected || cluster->elections[i]->own->listens)
            diagnose_again(cluster->elections[i]);
    model->generation++;
}

/* ---- how far behind the others it is ---- */

/* Its data is another than before, or this is the first that is known of it. */
static void zxids_forget(struct cluster *cluster)
{
    memset(cluster->zxids, 0, sizeof cluster->zxids);
    for (size_t i = 0; i < cluster->server_count; i++)
        cluster->servers[i].lag = -1;
}

static void zxids_note(struct cluster *cluster, int64_t zxid, int64_t at_us)
{
    if (zxid <= cluster->zxids[0].zxid)
        return;
    memmove(&cluster->zxids[1], &cluster->zxids[0], (ZXIDS_KEPT - 1) * sizeof cluster->zxids[0]);
    cluster->zxids[0] = (struct zxid_report){zxid, at_us};
}

/* Only facts from before this server was polled count: later ones it may have carried out since. */
static void server_lags(const struct cluster *cluster, struct server *server, int64_t asked_us)
{
    server->lag = server->lag_us = 0;
    for (size_t i = 0; i < ZXIDS_KEPT && cluster->zxids[i].zxid > server->zxid; i++) {
        const struct zxid_report *reported = &cluster->zxids[i];
        if (reported->at_us > asked_us)
            continue;
        if (server->lag == 0) {
            bool same_epoch = reported->zxid >> 32 == server->zxid >> 32;
            server->lag = same_epoch ? reported->zxid - server->zxid : (reported->zxid & UINT32_MAX) + 1;
        }
        server->lag_us = asked_us - reported->at_us;
    }
}

static void load_figure(int64_t *figure, int64_t seen)
{
    if (seen >= 0)
        *figure = seen;
}

/* How many there are now. A lower number than before is that of a server that was started again. */
static int64_t servers_slow_fsyncs(struct server *server, int64_t seen, struct moment at)
{
    int64_t before = server->load.slow_fsyncs;
    if (seen > 0 && before >= 0 && seen != before)
        server->slow_fsync = at;
    else if (at.mono_us - server->slow_fsync.mono_us >= SLOW_FSYNC_KEPT_US)
        server->slow_fsync = (struct moment){0};
    return seen >= 0 ? seen : before;
}

void servers_load(struct model *model, struct cluster *cluster, const struct observation *o)
{
    struct server *server = servers_get(cluster, o->load.address);
    const struct server_load *seen = &o->load.load;
    int64_t slow_fsyncs = servers_slow_fsyncs(server, seen->slow_fsyncs, o->at);
    if (o->load.part) {
        load_figure(&server->load.uptime_ms, seen->uptime_ms);
        load_figure(&server->load.latency_min_us, seen->latency_min_us);
        load_figure(&server->load.latency_avg_us, seen->latency_avg_us);
        load_figure(&server->load.latency_max_us, seen->latency_max_us);
        load_figure(&server->load.outstanding, seen->outstanding);
        load_figure(&server->load.znodes, seen->znodes);
        load_figure(&server->load.ephemerals, seen->ephemerals);
        load_figure(&server->load.watches, seen->watches);
    } else {
        server->load = *seen;
    }
    server->load.slow_fsyncs = slow_fsyncs;
    server->load_seen = o->at;
    model->generation++;
}

/* The problem of an otherwise healthy server; false: none. */
static bool bad_reply_text(const struct server *server, struct moment now, char *out, size_t size)
{
    if (server->bad_replies <= 0 || now.mono_us >= server->bad_reply_seen.mono_us + BAD_REPLIES_KEPT_US)
        return false;
    snprintf(out, size, "sent %d bad %s: %s", server->bad_replies,
             server->bad_replies == 1 ? "reply" : "replies, the latest", server->bad_reply);
    return true;
}

bool servers_sent_bad_replies(const struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->server_count; i++)
        if (cluster->servers[i].bad_replies > 0)
            return true;
    return false;
}

void servers_bad_reply(struct model *model, struct cluster *cluster, const struct observation *o)
{
    size_t before = cluster->server_count;
    struct server *server = servers_get(cluster, o->bad_reply.address);
    if (cluster->server_count != before)
        server->unasked = true;
    server->bad_replies += server->bad_replies < INT32_MAX;
    server->bad_reply_seen = o->at;
    snprintf(server->bad_reply, sizeof server->bad_reply, "%s", o->bad_reply.what);
    char problem[sizeof server->bad_reply + 80];
    if (bad_reply_text(server, o->at, problem, sizeof problem))
        text_replace(&server->problem, problem);
    diagnose_all(cluster);
    model->generation++;
}

/* Znodes are dated by ZooKeeper's leader; while none is known, as before. */
static void cluster_clock(struct model *model, struct cluster *cluster, const struct server *server,
                          struct moment at)
{
    bool dates = server->mode == SERVER_LEADER || server->mode == SERVER_STANDALONE, differ = false;
    int64_t ahead_us = dates ? server->ahead_us : cluster->ahead_us;
    for (size_t i = 0; i < cluster->server_count; i++)
        differ |=
            cluster->servers[i].reachable && llabs(cluster->servers[i].ahead_us - ahead_us) > CLOCKS_EQUAL_US;
    if (cluster->ahead_us == ahead_us && cluster->clocks_differ == differ)
        return;
    cluster->ahead_us = ahead_us;
    cluster->clocks_differ = differ;
    for (size_t i = 0; i < cluster->election_count; i++) {
        const struct update f = {model, cluster->elections[i], at};
        leadership_read(&f);
        update_touched(&f);
    }
    cluster->turn = model->turn;
    diagnose_all(cluster);
}

void servers_clock(struct model *model, struct cluster *cluster, const struct observation *o)
{
    struct server *server = servers_get(cluster, o->clock.address);
    server->ahead_us = clock_is_near(o->clock.ahead_us) ? o->clock.ahead_us : 0;
    cluster_clock(model, cluster, server, o->at);
}

void servers_stated(struct model *model, struct cluster *cluster, const struct observation *o)
{
    const struct observed_server *seen = &o->server;
    size_t before = cluster->server_count;
    struct server *server = servers_get(cluster, seen->address);
    bool changed = cluster->server_count != before;
    changed |= text_replace(&server->version, seen->version);
    char bad[sizeof server->bad_reply + 80];
    const char *problem = seen->problem                                    ? seen->problem
                          : bad_reply_text(server, o->at, bad, sizeof bad) ? bad
                                                                           : NULL;
    changed |= text_replace(&server->problem, problem);
    changed |= server->unasked != seen->unasked || server->reachable != seen->reachable ||
               server->mode != seen->mode || server->answer_us != seen->answer_us ||
               server->zxid != seen->zxid || server->connections != seen->connections;
    if (server->mode != seen->mode)
        diagnose_all(cluster);
    server->unasked = seen->unasked;
    server->reachable = seen->reachable;
    server->mode = seen->mode;
    server->answer_us = seen->answer_us;
    if (seen->reachable && seen->answer_us >= 0)
        server->answers_us[server->answer_count++ % SERVER_ANSWERS_KEPT] =
            seen->answer_us < INT32_MAX ? (int32_t)seen->answer_us : INT32_MAX;
    int64_t was_zxid = server->zxid;
    server->zxid = seen->zxid;
    if (seen->tick_ms > 0)
        server->tick_ms = seen->tick_ms;
    cluster_clock(model, cluster, server, o->at);
    if (seen->zxid >= 0) {
        if (seen->zxid < was_zxid)
            zxids_forget(cluster);
        server_lags(cluster, server, o->at.mono_us - (seen->answer_us > 0 ? seen->answer_us : 0));
        zxids_note(cluster, seen->zxid, o->at.mono_us);
        failover_cases_stated(cluster, (size_t)(server - cluster->servers), seen->zxid);
    }
    cluster_note_epoch(cluster, seen->zxid, o->at);
    server->connections = seen->connections;
    if (seen->reachable || server->seen.mono_us == 0)
        server->seen = o->at;
    if (!seen->reachable && !seen->unasked) {
        server->missed = o->at;
        /* Its former figures no longer hold, except the count, as a later answer shows its growth. */
        int64_t slow_fsyncs = server->load.slow_fsyncs;
        server->load = SERVER_LOAD_UNKNOWN;
        server->load.slow_fsyncs = slow_fsyncs;
        server->lag = -1;
        server->lag_us = 0;
    }
    model->generation += changed;
}

static bool servers_names(const struct observed_ensemble *seen, const char *address)
{
    for (size_t i = 0; i < seen->count; i++)
        if (strcmp(seen->addresses[i], address) == 0)
            return true;
    return false;
}

void servers_ensemble(struct model *model, struct cluster *cluster, const struct observation *o)
{
    bool changed = cluster->ensemble != o->ensemble.known;
    cluster->ensemble = o->ensemble.known;
    for (size_t at = cluster->server_count; at-- > 0;) {
        if (servers_names(&o->ensemble, cluster->servers[at].address))
            continue;
        session_table_server_left(cluster, at);
        failover_cases_server_left(cluster, at);
        for (size_t i = 0; i < cluster->election_count; i++)
            replicas_server_left(cluster->elections[i], at);
        server_end(&cluster->servers[at]);
        cluster->server_count--;
        memmove(&cluster->servers[at], &cluster->servers[at + 1],
                (cluster->server_count - at) * sizeof *cluster->servers);
        changed = true;
    }
    if (changed)
        diagnose_all(cluster);
    model->generation += changed;
}
