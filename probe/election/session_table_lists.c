#include "config/hash_table.h"
#include "probe/election/session_table.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/announced.h"
#include "probe/election/bystanders.h"
#include "probe/election/candidate_node.h"
#include "probe/election/client.h"
#include "probe/election/cluster.h"
#include "probe/election/election_private.h"
#include "probe/election/update.h"
#include "probe/election/watch_proof.h"

/* ---- which watches concern elections ---- */

static uint64_t path_hash(const char *path, size_t length)
{
    return ((uint64_t)hash_bytes(path, length, 1) << 32 | hash_bytes(path, length, 2)) | 1;
}

static void note_ancestor(struct session_table *clients, uint64_t hash)
{
    size_t at = hash & (clients->ancestor_room - 1);
    while (clients->ancestors[at] != 0 && clients->ancestors[at] != hash)
        at = (at + 1) & (clients->ancestor_room - 1);
    clients->ancestors[at] = hash;
}

static void note_ancestors(struct cluster *cluster)
{
    struct session_table *clients = cluster->clients;
    size_t count = 1, room = 64;
    for (size_t i = 0; i < cluster->election_count; i++)
        for (const char *c = cluster->elections[i]->path; *c; c++)
            count += *c == '/';
    while (room < count * 2)
        room *= 2;
    uint64_t *ancestors = xcalloc(room, sizeof *ancestors);
    free(clients->ancestors);
    clients->ancestors = ancestors;
    clients->ancestor_room = room;
    cluster->paths_changed = clients->above_known = false;
    clients->paths_round++;
    note_ancestor(clients, path_hash("/", 1));
    for (size_t i = 0; i < cluster->election_count; i++) {
        const char *path = cluster->elections[i]->path;
        for (size_t length = 1; path[length]; length++)
            if (path[length] == '/')
                note_ancestor(clients, path_hash(path, length));
    }
}

static bool is_ancestor(const struct session_table *clients, const char *path, size_t length)
{
    if (clients->ancestor_room == 0)
        return false;
    uint64_t hash = path_hash(path, length);
    size_t at = hash & (clients->ancestor_room - 1);
    while (clients->ancestors[at] != 0 && clients->ancestors[at] != hash)
        at = (at + 1) & (clients->ancestor_room - 1);
    return clients->ancestors[at] == hash;
}

/* The elections that this path concerns are to be diagnosed; and its part of the fingerprint. */
static uint64_t concern(struct cluster *cluster, const char *path, struct client *client, bool touch)
{
    size_t around, length = strlen(path);
    struct election *election = cluster_election_around(cluster, path, &around);
    if (!election && !is_ancestor(cluster->clients, path, length))
        return 0;
    if (touch && election) {
        diagnose_soon(election);
        bystander_note(election, client->shown.id);
    }
    return path_hash(path, length);
}

static void touch_owned(const struct client *client)
{
    for (const struct candidate *c = client->owned; c; c = c->own->owned_next)
        diagnose_soon(c->election);
}

/* What this server listed in that round is its latest word, and it has not fallen silent since. */
static bool shows_still(const struct cluster *cluster, size_t server, uint32_t round)
{
    return server < cluster->server_count && cluster->servers[server].list_round == round &&
           !cluster->servers[server].hidden[HIDDEN_CONNECTIONS];
}

bool client_doubled(const struct cluster *cluster, const struct client *client)
{
    return client->other_round != 0 && shows_still(cluster, client->other_server, client->other_round);
}

/* ---- connections ---- */

static bool set_address(struct cluster *cluster, struct client_session *shown, const char *address)
{
    if (shown->address && address && strcmp(shown->address, address) == 0)
        return false;
    session_table_forget_hosts(cluster->clients);
    free(shown->address);
    shown->address = text_copy(address);
    return true;
}

static void session_disconnected(struct cluster *cluster, struct client *client)
{
    client->shown.connected = false;
    client->shown.watches_known = false;
    client_series_end(client);
    touch_owned(client);
    for (size_t i = 0; i < client->shown.watch_count; i++)
        concern(cluster, client->shown.watches[i], client, true);
}

/* True if this connection is hidden behind another server's. */
static bool shadowed(struct cluster *cluster, struct client *client, size_t server,
                     const struct seen_connection *seen)
{
    struct client_session *shown = &client->shown;
    if (!shown->connected || shown->server == server ||
        !shows_still(cluster, shown->server, client->list_round))
        return false;
    bool older = seen->established_ms <= shown->established_ms;
    client->other_server = (uint16_t)(older ? server : shown->server);
    client->other_round = older ? cluster->servers[server].list_round : client->list_round;
    shown->watches_known = false;
    client_series_end(client);
    touch_owned(client);
    return older;
}

/* A server's clock may run faster or slower than ours by this part. */
#define CLOCK_DRIFT 5000

/* The difference between its clock and ours: a session heard between two of its lists was heard after the
   first was requested; and every session listed was heard before the list had come. */
static void read_clock(struct cluster *cluster, size_t index, struct moment at, int64_t latest_ms,
                       const struct observed_connections *seen)
{
    struct server *server = &cluster->servers[index];
    int64_t low_us = INT64_MIN, high_us = at.mono_us + seen->took_us - latest_ms * 1000;
    if (latest_ms <= 0)
        return;
    if (seen->now_ms >= 0)
        low_us = at.mono_us - seen->now_age_us - seen->now_ms * 1000 - 1000;
    for (size_t i = 0; cluster->clients && server->listed.mono_us != 0 && i < seen->count; i++) {
        const struct seen_connection *c = &seen->list[i];
        const struct client *client = session_table_find(cluster->clients, c->session);
        int64_t bound_us = server->listed.mono_us - c->last_response_ms * 1000 - 1000;
        if (client && client->shown.connected && client->shown.server == index &&
            client->list_round == server->list_round && client->shown.established_ms == c->established_ms &&
            c->last_response_ms > client->response_ms && bound_us > low_us)
            low_us = bound_us;
    }
    if (server->clock_known) {
        int64_t drift_us = (at.mono_us - server->clock_us) / CLOCK_DRIFT;
        if (server->clock_low_known && server->clock_low_us - drift_us > low_us)
            low_us = server->clock_low_us - drift_us;
        if (server->clock_high_us + drift_us < high_us)
            high_us = server->clock_high_us + drift_us;
    }
    /* Where its machine began anew, so did its clock. */
    bool contradicts = low_us > high_us;
    server->clock_known = !contradicts;
    server->clock_low_known = !contradicts && low_us != INT64_MIN;
    server->clock_low_us = low_us;
    server->clock_high_us = high_us;
    server->clock_us = at.mono_us;
}

/* Now, or in the list before. */
static bool silence_reaches(const struct client_session *shown, int32_t before_ms, int percent)
{
    int64_t longest_ms = before_ms > shown->silent_ms ? before_ms : shown->silent_ms;
    return (before_ms < 0) != (shown->silent_ms < 0) ||
           longest_ms * 100 >= (int64_t)shown->timeout_ms * percent;
}

/* Its candidates are looked at only where that may matter: there may be thousands. news: each is diagnosed. Who leads
 * is diagnosed for its silence, too: while it is worth a word, and when that ends. */
static void client_concerns(const struct client *client, bool moved, bool news, bool joins, int32_t before_ms)
{
    const struct client_session *shown = &client->shown;
    if (!client->owned ||
        !(moved || news || joins ||
          silence_reaches(shown, before_ms, client->owned->election->cluster->silent_percent_least)))
        return;
    for (struct candidate *c = client->owned; c; c = c->own->owned_next) {
        if (moved)
            client_named(c);
        bool leads = c->election->leader == c;
        if (news || (leads && (joins || silence_reaches(shown, before_ms,
                                                        c->election->settings->allow.silent_percent))))
            diagnose_soon(c->election);
    }
}

/* A client that joins, and waits then, takes fewer requests; or its connection is so old that they are rarer than a
 * poll. */
#define REQUESTS_TO_JOIN 16
#define POLL_APART_MS 60000

/* For how long it has requested nothing. A pause that ended shows how long the next one may be; so do many requests
 * of a connection of that age. */
static void see_request(struct client *client, const struct seen_connection *seen, bool same,
                        int64_t listed_us, int64_t age_us)
{
    bool idle = seen->last_cxid >= 0 && seen->outstanding == 0;
    if (same && idle && client->still_us != 0 && seen->last_cxid == client->shown.last_cxid)
        return;
    int64_t pause_ms = same && client->still_us != 0 ? (listed_us - client->still_us) / 1000 : 0;
    if (pause_ms > client->rhythm_ms)
        client->rhythm_ms = pause_ms > INT32_MAX ? INT32_MAX : (int32_t)pause_ms;
    client->still_us = idle ? listed_us : 0;
    int64_t mean_ms = seen->last_cxid >= REQUESTS_TO_JOIN && age_us > 0 ? age_us / 1000 / seen->last_cxid : 0;
    client->mean_ms = mean_ms > POLL_APART_MS ? 0 : (int32_t)mean_ms;
}

/* Clients ping three times a timeout, and none more often than six times: answers that are closer are not those
 * to pings. */
#define PINGS_A_TIMEOUT 3
#define PINGS_A_TIMEOUT_MOST 6

/* An answer without a request is that to a ping. Two lists that are no further apart than pings have at most
 * one between them. */
static void see_ping(struct client *client, const struct seen_connection *seen, struct moment at, bool same)
{
    int64_t apart_ms = seen->last_response_ms - client->response_ms;
    int64_t lists_apart_ms = (at.mono_us - client->shown.seen.mono_us) / 1000;
    bool pings = same && client->response_ms > 0 && seen->last_cxid == client->shown.last_cxid &&
                 apart_ms * PINGS_A_TIMEOUT_MOST >= seen->timeout_ms && apart_ms < seen->timeout_ms &&
                 lists_apart_ms * PINGS_A_TIMEOUT <= seen->timeout_ms;
    if (pings && seen->timeout_ms > 0 && (client->ping_ms == 0 || apart_ms < client->ping_ms))
        client->ping_ms = (int32_t)apart_ms;
}

/* True where it is the same connection as in the server's list before. */
static bool see_connection(struct cluster *cluster, size_t server, struct moment at, int64_t now_ms,
                           bool bound, const struct seen_connection *seen)
{
    struct client *client = session_table_make(cluster, seen->session);
    struct client_session *shown = &client->shown;
    client->captured = client->captured && shown->server == server;
    if (client->captured) {
        client->list_round = cluster->servers[server].list_round;
        client->response_ms = seen->last_response_ms;
        client->last_zxid = seen->last_zxid;
        return true;
    }
    if (shadowed(cluster, client, server, seen))
        return false;
    bool same = shown->connected && shown->server == server && shown->established_ms == seen->established_ms;
    bool moved = set_address(cluster, shown, seen->client);
    same = same && !moved;
    if (!same) {
        client_series_end(client);
        client->ping_ms = 0;
        shown->watches_known = shown->watches_listed = false;
        shown->server = (uint16_t)server;
        shown->established_ms = seen->established_ms;
    }
    bool changed = !same || !shown->connected || shown->timeout_ms != seen->timeout_ms;
    bool was_silent = client_is_silent(shown);
    int32_t before_ms = shown->silent_ms;
    see_ping(client, seen, at, same);
    if (shown->alive && client_is_unlisted(client) && cluster->clients->unlisted > 0)
        cluster->clients->unlisted--;
    shown->connected = true;
    client->unlisted = 0;
    shown->seen = at;
    shown->timeout_ms = seen->timeout_ms;
    shown->outstanding = seen->outstanding;
    int64_t established_us = client_established_us(cluster, shown);
    see_request(client, seen, same, at.mono_us + cluster->servers[server].list_took_us,
                established_us ? at.wall_us - established_us : 0);
    bool joins = seen->last_cxid != shown->last_cxid && seen->last_cxid <= REQUESTS_TO_JOIN;
    shown->last_cxid =
        seen->last_cxid > INT32_MAX ? -1 : (int32_t)seen->last_cxid; /* an int32 by the protocol */
    /* A connection that has not been answered anything yet has no last response, which reads as 0. */
    int64_t silent_ms = now_ms - seen->last_response_ms;
    if (silent_ms > INT32_MAX)
        silent_ms = INT32_MAX;
    shown->silent_ms = seen->last_response_ms <= 0 ? -1 : silent_ms > 0 ? (int32_t)silent_ms : 0;
    shown->silent_is_bound = bound;
    client->answered = client->answered || seen->last_response_ms > client->response_ms;
    client->response_ms = seen->last_response_ms;
    client->last_zxid = seen->last_zxid;
    client->list_round = cluster->servers[server].list_round;
    if (seen->outstanding != 0 || seen->last_cxid < 0 || seen->last_cxid != client->series_cxid)
        client->idle = false;
    changed = client_listed(client, at) || changed;
    bool reported = changed || was_silent || client_is_silent(shown);
    client_concerns(client, moved, reported, joins, before_ms);
    if (changed && !client->owned && !shown->observer)
        for (size_t i = 0; i < shown->watch_count; i++)
            concern(cluster, shown->watches[i], client, true);
    return same;
}

/* A poll counts only between connection lists of the same source. */
static void forget_pending_polls(struct cluster *cluster, size_t server)
{
    struct session_table *clients = cluster->clients;
    for (struct client *client = session_table_walk(clients, NULL); client;
         client = session_table_walk(clients, client))
        if (client->shown.server == server)
            client->asked_us = 0;
}

void session_table_connections(struct cluster *cluster, size_t server, struct moment at,
                               const struct observed_connections *seen)
{
    struct server *from = &cluster->servers[server];
    int64_t latest_ms = seen->now_ms;
    for (size_t i = 0; i < seen->count; i++)
        if (seen->list[i].last_response_ms > latest_ms)
            latest_ms = seen->list[i].last_response_ms;
    int64_t now_ms = seen->now_ms < 0 ? latest_ms : seen->now_ms;
    read_clock(cluster, server, at, latest_ms, seen);
    bool same_source = from->list_source == seen->source;
    if (!same_source)
        forget_pending_polls(cluster, server);
    from->list_source = seen->source;
    if (from->connections < 0 || seen->count < (size_t)from->connections)
        from->whole = 0;
    else if (from->whole < UINT8_MAX)
        from->whole++;
    if (++from->list_round == 0)
        from->list_round = 1;
    from->listed_before = from->listed;
    from->listed = at;
    from->list_took_us = seen->took_us;
    bool lasts = false;
    for (size_t i = 0; i < seen->count; i++)
        if (seen->list[i].session != 0)
            lasts = see_connection(cluster, server, at, now_ms, seen->now_ms < 0, &seen->list[i]) || lasts;
    if (!lasts)
        from->lasting_us = at.mono_us;

    struct session_table *clients = cluster->clients;
    bool strangers = false;
    for (struct client *client = session_table_walk(clients, NULL); client;
         client = session_table_walk(clients, client)) {
        /* A second list without it may prove that it is nowhere. */
        if (client->owned && !client->shown.connected)
            touch_owned(client);
        if (client->shown.server != server || client->list_round == from->list_round || client->captured)
            continue;
        if (client->shown.connected) {
            session_disconnected(cluster, client);
            /* Another port may belong to another server, which never had it. */
            client->parted_us = same_source ? at.mono_us + seen->took_us : 0;
        }
        strangers = strangers || !client->owned;
    }
    if (strangers)
        session_table_drop_strangers(clients);
}

/* ---- watches ---- */

static bool same_watch(const struct client_session *shown, size_t i, const struct seen_watches *seen,
                       size_t j)
{
    return i < shown->watch_count && j < seen->count && strcmp(shown->watches[i], seen->paths[j]) == 0 &&
           !shown->watch_kinds == !seen->kinds && (!seen->kinds || shown->watch_kinds[i] == seen->kinds[j]);
}

static bool same_watches(const struct client_session *shown, const struct seen_watches *seen)
{
    size_t i = 0;
    while (same_watch(shown, i, seen, i))
        i++;
    return i == shown->watch_count && i == seen->count;
}

/* As many watches may have come or gone in one place of a list. */
#define AHEAD 8

/* An observer's one list has watches of all elections: only those in which a watch came or went are diagnosed. Servers
   keep the order of a list; in another order, more watches than need to be count as changed. */
static void concern_changes(struct cluster *cluster, struct client *client, const struct seen_watches *seen)
{
    const struct client_session *shown = &client->shown;
    for (size_t i = 0, j = 0; i < shown->watch_count || j < seen->count;) {
        size_t ahead = 0;
        while (ahead < AHEAD && !same_watch(shown, i + ahead, seen, j) &&
               !same_watch(shown, i, seen, j + ahead))
            ahead++;
        bool came = same_watch(shown, i, seen, j + ahead), went = same_watch(shown, i + ahead, seen, j);
        size_t old_end = i + (came ? 0 : went ? ahead : 1), new_end = j + (came ? ahead : went ? 0 : 1);
        for (; i < old_end && i < shown->watch_count; i++)
            concern(cluster, shown->watches[i], client, true);
        for (; j < new_end && j < seen->count; j++)
            concern(cluster, seen->paths[j], client, true);
        i += came || went;
        j += came || went;
    }
}

/* Its announcement as an observer is part of what a series of polls shows: another announcement begins another
   series. Where there are two, one is just being replaced. */
static uint64_t see_announcements(struct client *client)
{
    struct client_session *shown = &client->shown;
    uint64_t fingerprint = 0;
    size_t announcements = 0;
    int32_t count;
    client->announced = -1;
    for (size_t i = 0; i < shown->watch_count; i++) {
        if (!announced_in(shown->watches[i], &count))
            continue;
        client->announced = announcements++ == 0 ? count : -1;
        fingerprint += path_hash(shown->watches[i], strlen(shown->watches[i]));
    }
    shown->observer = shown->observer || announcements > 0;
    return fingerprint;
}

/* same_paths: the elections are those of its latest list. */
static void see_watches(struct cluster *cluster, struct client *client, struct moment at,
                        const struct seen_watches *seen, bool listed, bool same_paths)
{
    struct client_session *shown = &client->shown;
    bool first = !shown->watches_known || shown->watches_listed != listed;
    bool news = first || !same_watches(shown, seen);
    if (news) {
        concern_changes(cluster, client, seen);
        client_keep_watches(shown, seen);
        cluster->clients->above_known = false;
    }
    bool same = same_paths && !news;
    uint64_t fingerprint = same ? client->fingerprint : see_announcements(client);
    for (size_t i = 0; i < shown->watch_count && !same; i++)
        fingerprint += concern(cluster, shown->watches[i], client, first);
    if (news)
        touch_owned(client);
    if (client->enclosed == 0 || fingerprint != client->fingerprint) {
        client_series_end(client);
        client->fingerprint = fingerprint;
        client->series_cxid = shown->last_cxid;
        client->idle = shown->last_cxid >= 0 && shown->outstanding == 0;
    }
    client->asked_us = client_doubled(cluster, client) ? 0 : at.mono_us;
    shown->watches_listed = listed;
    shown->watches_seen_us = at.mono_us;
}

/* Sessions that watch ancestors of elections, or their directories: such a watch may be recursive. */
static void list_above(struct cluster *cluster)
{
    struct session_table *clients = cluster->clients;
    uint64_t before = clients->above_sum;
    if (clients->above_known)
        return;
    clients->above_known = true;
    clients->above_count = 0;
    clients->above_sum = 0;
    for (const struct client *client = session_table_walk(clients, NULL); client;
         client = session_table_walk(clients, client)) {
        bool above = false;
        for (size_t k = 0; k < client->shown.watch_count && !above && !client->shown.observer; k++) {
            const char *path = client->shown.watches[k];
            above = is_ancestor(clients, path, strlen(path)) || cluster_election(cluster, path, strlen(path));
            clients->above_sum += above ? path_hash(path, strlen(path)) ^ client->shown.id : 0;
        }
        if (above) {
            room_for_one(&clients->above, clients->above_count, &clients->above_room, sizeof *clients->above);
            clients->above[clients->above_count++] = client->shown.id;
        }
    }
    for (size_t i = 0; clients->above_sum != before && i < cluster->election_count; i++)
        diagnose_soon(cluster->elections[i]);
}

void session_table_watches(struct cluster *cluster, size_t server, struct moment at,
                           const struct observed_watches *seen)
{
    struct server *from = &cluster->servers[server];
    if (++from->watch_round == 0)
        from->watch_round = 1;
    if (!cluster->clients)
        cluster->clients = xcalloc(1, sizeof *cluster->clients);
    struct session_table *clients = cluster->clients;
    if (cluster->paths_changed || clients->ancestor_room == 0)
        note_ancestors(cluster);
    bool same_paths = from->paths_round == clients->paths_round;
    from->paths_round = clients->paths_round;
    for (size_t i = 0; i < seen->count; i++) {
        struct client *client = session_table_find(clients, seen->list[i].session);
        /* Only the list before says who is here: others moved away, or came just now. */
        if (!client || !client->shown.connected || client->shown.server != server ||
            client->list_round != from->list_round || client->captured)
            continue;
        client->watch_round = from->watch_round;
        see_watches(cluster, client, at, &seen->list[i], true, same_paths);
    }
    const struct seen_watches none = {0};
    for (struct client *client = session_table_walk(clients, NULL); client;
         client = session_table_walk(clients, client))
        if (client->shown.connected && client->shown.server == server &&
            client->list_round == from->list_round && client->watch_round != from->watch_round &&
            !client->captured)
            see_watches(cluster, client, at, &none, false, same_paths);
    if (from->list_source != seen->source)
        forget_pending_polls(cluster, server);
    list_above(cluster);
}

/* ---- packets ---- */

static size_t captured_server(struct cluster *cluster, struct moment at, const char *address)
{
    struct server *server = servers_get(cluster, address);
    bool alone = cluster->connection == CONNECTION_CONNECTED && cluster->session == 0;
    if (alone && !server->watches_from) {
        server->unasked = server->reachable = true;
        server->watches_from = "capture";
        server->seen = at;
    }
    return (size_t)(server - cluster->servers);
}

/* Where a server lists its watches, its lists say what is hidden; packets know more of single sessions. */
static void captured_cluster(struct cluster *cluster, struct server *server,
                             const struct observed_captured *seen)
{
    bool was = server_is_captured(server);
    if ((server->watches_from && !was) || (!was && !seen->connected))
        return;
    const char *why = !seen->connected ? "the capture has ended, or brings no packets"
                      : seen->watches_known
                          ? NULL
                          : "packets show only the watches of connections that were opened since the capture "
                            "began; the others are known when their clients reconnect";
    server->watches_from = seen->connected ? "capture" : NULL;
    if (!text_replace(&server->hidden[HIDDEN_WATCHES], why) && was == seen->connected)
        return;
    for (size_t i = 0; i < cluster->election_count; i++)
        diagnose_soon(cluster->elections[i]);
}

static void captured_watches(struct cluster *cluster, struct client *client, struct moment at,
                             const struct observed_captured *seen)
{
    const char **paths = xmalloc((seen->count + 1) * sizeof *paths);
    uint8_t *kinds = xmalloc(seen->count + 1);
    for (size_t i = 0; i < seen->count; i++) {
        paths[i] = seen->watches[i].path;
        kinds[i] = (uint8_t)seen->watches[i].kind;
    }
    if (cluster->paths_changed || cluster->clients->ancestor_room == 0)
        note_ancestors(cluster);
    see_watches(cluster, client, at, &(struct seen_watches){seen->session, paths, seen->count, kinds}, true,
                false);
    client->asked_us = 0; /* no list follows */
    free(paths);
    free(kinds);
}

/* Nothing that it does is missed: each moment counts as a poll that lies between two lists. */
static void captured_proof(struct client *client, struct moment at, const struct observed_captured *seen)
{
    client->captured = seen->watches_known;
    if (!seen->watches_known) {
        client_series_end(client);
        return;
    }
    int64_t asked_us = seen->asked_us ? seen->asked_us : client->still_us ? client->still_us : at.mono_us;
    int64_t pause_ms = client->still_us ? (asked_us - client->still_us) / 1000 : 0;
    if (pause_ms > client->rhythm_ms)
        client->rhythm_ms = pause_ms > INT32_MAX ? INT32_MAX : (int32_t)pause_ms;
    client->still_us = asked_us;
    client->idle = client->answered = true;
    if (client->series_us == 0)
        client->series_us = client->series_shown_us = at.mono_us;
    if (client->enclosed < UINT16_MAX)
        client->counted = ++client->enclosed;
    client->enclosed_asked_us = client->counted_asked_us = client->counted_shown_us = at.mono_us;
    client->enclosed_took_us = client->counted_took_us = 0;
}

void session_table_captured(struct cluster *cluster, struct moment at, const struct observed_captured *seen)
{
    size_t server = captured_server(cluster, at, seen->address);
    const struct server *from = &cluster->servers[server];
    if (seen->session == 0) {
        captured_cluster(cluster, &cluster->servers[server], seen);
        return;
    }
    struct client *client = session_table_make(cluster, seen->session);
    struct client_session *shown = &client->shown;
    bool listed = from->list_round > 0 && !from->hidden[HIDDEN_CONNECTIONS];
    if (listed && !seen->watches_known && !client->captured)
        return;
    /* Another server lists it, and it was not heard here since. */
    if (shown->connected && shown->server != server && client->list_round != 0 && !client->captured &&
        seen->heard_us <= shown->seen.mono_us)
        return;
    if (!seen->connected) {
        client->captured = false;
        if (shown->connected && shown->server == server) {
            session_disconnected(cluster, client);
            client->parted_us = at.mono_us;
        }
        return;
    }
    bool was_silent = client_is_silent(shown), moved = set_address(cluster, shown, seen->client);
    bool news = moved || !shown->connected || shown->watches_known != seen->watches_known;
    int32_t before_ms = shown->silent_ms;
    int64_t silent_ms = seen->heard_us ? (at.mono_us - seen->heard_us) / 1000 : -1;
    shown->connected = true;
    shown->server = (uint16_t)server;
    shown->seen = at;
    shown->timeout_ms = seen->timeout_ms;
    shown->silent_ms = silent_ms > INT32_MAX ? INT32_MAX : silent_ms < 0 ? -1 : (int32_t)silent_ms;
    captured_watches(cluster, client, at, seen);
    shown->watches_known = shown->all_watches = seen->watches_known;
    captured_proof(client, at, seen);
    news = news || was_silent || client_is_silent(shown);
    client_concerns(client, moved, news, false, before_ms);
}

/* ---- sessions ---- */

static bool all_stood(const struct client *client, struct moment at)
{
    for (const struct candidate *c = client->owned; c; c = c->own->owned_next)
        if (c->joined.mono_us >= at.mono_us)
            return false;
    return true;
}

void session_table_sessions(struct cluster *cluster, size_t server, struct moment at,
                            const struct observed_sessions *seen)
{
    struct session_table *clients = cluster->clients;
    if (!clients)
        return;
    if (++clients->session_round == 0)
        clients->session_round = 1;
    bool same = clients->sessions_seen.mono_us != 0 && clients->sessions_server == server;
    int64_t before_us = clients->sessions_seen.mono_us;
    size_t ours = 0, heard = 0;
    clients->unlisted = 0;
    clients->sessions_seen = at;
    clients->sessions_server = server;
    for (size_t i = 0; i < seen->count; i++) {
        struct client *client = session_table_find(clients, seen->list[i].id);
        if (!client)
            continue;
        heard += client->ours && client->ends_ms >= 0 && seen->list[i].ends_ms > client->ends_ms;
        client->session_round = clients->session_round;
        if (same && client->ends_ms >= 0 && seen->list[i].ends_ms > client->ends_ms) {
            client->heard_since_us = before_us;
            if (!client->shown.connected && client->unlisted < UINT8_MAX)
                client->unlisted++;
        }
        if (client->ends_ms != seen->list[i].ends_ms || !same)
            client->same_end_us = 0;
        else if (client->same_end_us == 0)
            client->same_end_us = at.mono_us;
        client->ends_ms = seen->list[i].ends_ms;
    }
    for (struct client *client = session_table_walk(clients, NULL); client;
         client = session_table_walk(clients, client)) {
        bool alive = client->session_round == clients->session_round;
        bool news = !client->shown.alive_known || client->shown.alive != alive;
        client->shown.alive_known = true;
        client->shown.alive = alive;
        ours += client->ours;
        clients->unlisted += alive && client_is_unlisted(client);
        if (alive || !same) {
            client->absent_rounds = 0;
            client->outlived_us = 0;
        }
        if (!alive && client->absent_rounds < UINT8_MAX && all_stood(client, at) &&
            ++client->absent_rounds == 2)
            client->absent_us = at.mono_us;
        /* It may have heard a session that no server lists. */
        if (news || !alive || !client->shown.connected)
            touch_owned(client);
    }
    if (!same)
        clients->leads_us = 0;
    else if (ours > 0 && heard == ours)
        clients->leads_us = before_us;
}

void session_table_hidden(struct cluster *cluster, size_t server, enum hidden_part part)
{
    struct session_table *clients = cluster->clients;
    /* Followers do not know the sessions: that hides nothing that the leader has reported. */
    if (!clients || (part == HIDDEN_SESSIONS && server != clients->sessions_server))
        return;
    if (part == HIDDEN_SESSIONS)
        clients->unlisted = 0;
    for (struct client *client = session_table_walk(clients, NULL); client;
         client = session_table_walk(clients, client)) {
        if (part == HIDDEN_SESSIONS) {
            if (client->shown.alive_known)
                touch_owned(client);
            client->shown.alive_known = false;
            client->absent_rounds = 0;
        } else if (client->shown.server == server && !client->captured) {
            if (client->shown.watches_known)
                touch_owned(client);
            client->shown.watches_known = false;
            client_series_end(client);
        }
    }
}

void session_table_server_left(struct cluster *cluster, size_t server)
{
    struct session_table *clients = cluster->clients;
    if (!clients)
        return;
    if (server == clients->sessions_server)
        session_table_hidden(cluster, server, HIDDEN_SESSIONS);
    else if (server < clients->sessions_server)
        clients->sessions_server--;
    for (struct client *client = session_table_walk(clients, NULL); client;
         client = session_table_walk(clients, client)) {
        struct client_session *shown = &client->shown;
        if (client->other_server == server)
            client->other_round = 0;
        else if (client->other_server > server)
            client->other_server--;
        if (shown->server == server) {
            if (shown->connected)
                session_disconnected(cluster, client);
            shown->server = CLIENT_NOWHERE;
        } else if (shown->server != CLIENT_NOWHERE && shown->server > server) {
            shown->server--;
        }
    }
    session_table_drop_strangers(clients);
}
