#include "probe/election/session_table.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/client.h"
#include "probe/election/cluster.h"
#include "probe/election/election.h"
#include "probe/election/election_private.h"
#include "probe/election/update.h"

/* If no server reports its own. */
#define USUAL_TICK_MS 2000

const struct client_session *cluster_client(const struct cluster *cluster, uint64_t session)
{
    const struct client *client = session_table_find(cluster->clients, session);
    return client ? &client->shown : NULL;
}

int64_t client_expiry_us(const struct cluster *cluster, const struct client_session *client)
{
    int tick_ms = cluster_tick_ms(cluster);
    return client->timeout_ms > 0
               ? client->timeout_ms * INT64_C(1000) + (tick_ms > 0 ? tick_ms : USUAL_TICK_MS) * INT64_C(1500)
               : 0;
}

struct moment client_expires_heard(const struct cluster *cluster, const struct client_session *client,
                                   struct moment heard)
{
    int64_t after_us = client_expiry_us(cluster, client);
    if (after_us == 0)
        return (struct moment){0};
    return (struct moment){heard.mono_us + after_us, heard.wall_us ? heard.wall_us + after_us : 0};
}

struct moment client_expires(const struct cluster *cluster, const struct client_session *client)
{
    if (!client->connected || client->timeout_ms <= 0 || client->silent_ms < 0)
        return (struct moment){0};
    int64_t silent_us = client->silent_ms * INT64_C(1000);
    struct moment heard = {client->seen.mono_us - silent_us,
                           client->seen.wall_us ? client->seen.wall_us - silent_us : 0};
    return client_expires_heard(cluster, client, heard);
}

bool client_is_silent(const struct client_session *client)
{
    return client->silent_ms >= 0 && client->timeout_ms > 0 && client->silent_ms > client->timeout_ms / 2;
}

bool client_is_overdue(const struct client_session *client)
{
    return client->silent_ms >= 0 && client->timeout_ms > 0 &&
           client->silent_ms * INT64_C(10) >= client->timeout_ms * INT64_C(9);
}

bool client_is_unheard(const struct client_session *client, struct moment since)
{
    return client->connected && client->silent_ms >= 0 && since.mono_us != 0 &&
           client->seen.mono_us - client->silent_ms * INT64_C(1000) <= since.mono_us;
}

size_t client_host(const struct client_session *client, const char **host)
{
    *host = client->address;
    const char *colon = client->address ? strrchr(client->address, ':') : NULL;
    return colon ? (size_t)(colon - client->address) : client->address ? strlen(client->address) : 0;
}

bool client_is_beside(const struct client_session *client, const struct client_session *other)
{
    const char *host, *its;
    size_t length = client_host(client, &host);
    return length > 0 && client_host(other, &its) == length && memcmp(host, its, length) == 0;
}

int64_t client_established_us(const struct cluster *cluster, const struct client_session *client)
{
    int64_t ahead_us = client->server < cluster->server_count ? cluster->servers[client->server].ahead_us : 0;
    int64_t ms = znode_time_ms(client->established_ms);
    return ms ? ms * 1000 - ahead_us : 0;
}

/* ---- the table ---- */

bool owner_is_session(uint64_t owner)
{
    const uint64_t container = UINT64_C(1) << 63;
    return owner != 0 && owner != container && owner >> 56 != 0xff;
}

static struct client *client_of(const struct hash_link *link)
{
    return link ? HASH_ENTRY(link, struct client, by_id) : NULL;
}

static uint32_t id_hash(uint64_t session)
{
    return (uint32_t)(session * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static uint32_t client_hash(const struct hash_link *link)
{
    return id_hash(client_of(link)->shown.id);
}

struct client *session_table_find(const struct session_table *clients, uint64_t session)
{
    struct client *client = clients ? client_of(hash_table_first(&clients->by_id, id_hash(session))) : NULL;
    while (client && client->shown.id != session)
        client = client_of(client->by_id.next);
    return client;
}

struct client *session_table_walk(const struct session_table *clients, const struct client *client)
{
    return clients ? client_of(hash_table_walk(&clients->by_id, client ? &client->by_id : NULL)) : NULL;
}

static uint32_t *host_bucket(const struct session_table *clients, const struct client *client)
{
    const char *host;
    size_t length = client_host(&client->shown, &host);
    return &clients->host_first[hash_bytes(host, length, 0) & (clients->host_room - 1)];
}

/* The first of its host, in its place; 0: there is none. */
static uint32_t host_find(const struct session_table *clients, const struct client *client, uint32_t first)
{
    while (first && !client_is_beside(&client->shown, &clients->hosts[first - 1].client->shown))
        first = clients->hosts[first - 1].next_host;
    return first;
}

static void hosts_fill(struct session_table *clients)
{
    uint32_t count = 0;
    for (clients->host_room = 16; clients->host_room < clients->by_id.count;)
        clients->host_room *= 2;
    clients->hosts = xmalloc((clients->by_id.count + 1) * sizeof *clients->hosts);
    clients->host_first = xcalloc(clients->host_room, sizeof *clients->host_first);
    for (const struct client *c = session_table_walk(clients, NULL); c; c = session_table_walk(clients, c)) {
        uint32_t *first = c->shown.address ? host_bucket(clients, c) : NULL;
        if (!first)
            continue;
        struct host_entry *entry = &clients->hosts[count++];
        uint32_t host = host_find(clients, c, *first);
        *entry = (struct host_entry){c, host ? clients->hosts[host - 1].next : 0, host ? 0 : *first};
        *(host ? &clients->hosts[host - 1].next : first) = count;
    }
}

void session_table_forget_hosts(struct session_table *clients)
{
    if (!clients || !clients->hosts)
        return;
    free(clients->hosts);
    free(clients->host_first);
    clients->hosts = NULL;
    clients->host_first = NULL;
}

const struct client *session_table_beside(struct session_table *clients, const struct client *client,
                                          uint32_t *at)
{
    if (!client->shown.address)
        return NULL;
    if (!clients->hosts)
        hosts_fill(clients);
    *at = *at ? clients->hosts[*at - 1].next : host_find(clients, client, *host_bucket(clients, client));
    return *at ? clients->hosts[*at - 1].client : NULL;
}

static void client_free(struct client *client)
{
    free(client->shown.address);
    free(client->shown.watches);
    free(client);
}

void session_table_drop_strangers(struct session_table *clients)
{
    for (struct client *client = session_table_walk(clients, NULL), *next; client; client = next) {
        next = session_table_walk(clients, client);
        if (client->shown.connected || client->owned)
            continue;
        hash_table_remove(&clients->by_id, &client->by_id);
        client_free(client);
        clients->above_known = false;
        session_table_forget_hosts(clients);
    }
}

struct client *session_table_make(struct cluster *cluster, uint64_t session)
{
    if (!cluster->clients)
        cluster->clients = xcalloc(1, sizeof *cluster->clients);
    struct session_table *clients = cluster->clients;
    struct client *client = session_table_find(clients, session);
    if (client)
        return client;
    clients->by_id.hash_of = client_hash;
    if (hash_table_is_full(&clients->by_id))
        session_table_drop_strangers(clients);
    client = xmalloc(sizeof *client);
    *client = (struct client){.shown = {.id = session,
                                        .established_ms = -1,
                                        .silent_ms = -1,
                                        .last_cxid = -1,
                                        .server = CLIENT_NOWHERE,
                                        .outstanding = -1},
                              .announced = -1,
                              .ends_ms = -1};
    hash_table_add(&clients->by_id, &client->by_id);
    return client;
}

void session_table_free(struct session_table *clients)
{
    if (!clients)
        return;
    for (struct client *client = session_table_walk(clients, NULL), *next; client; client = next) {
        next = session_table_walk(clients, client);
        client_free(client);
    }
    hash_table_clear(&clients->by_id);
    free(clients->ancestors);
    free(clients->above);
    session_table_forget_hosts(clients);
    free(clients);
}

void client_owns(struct client *client, struct candidate *candidate)
{
    if (candidate->own->client == client)
        return;
    client_disown(candidate);
    /* It may be at another server than those whose lists lack it: its other candidates are no ghosts yet. */
    for (struct candidate *c = client->owned; c && client->absent_rounds; c = c->own->owned_next)
        diagnose_soon(c->election);
    candidate->own->client = client;
    candidate->own->owned_next = client->owned;
    candidate->own->owned_link = &client->owned;
    if (client->owned)
        client->owned->own->owned_link = &candidate->own->owned_next;
    client->owned = candidate;
    client->absent_rounds = 0;
}

void client_disown(struct candidate *candidate)
{
    if (!candidate->own->client)
        return;
    *candidate->own->owned_link = candidate->own->owned_next;
    if (candidate->own->owned_next)
        candidate->own->owned_next->own->owned_link = candidate->own->owned_link;
    candidate->own->client = NULL;
    candidate->own->owned_next = NULL;
    candidate->own->owned_link = NULL;
}

/* One block for the pointers and their strings. */
void client_keep_watches(struct client_session *shown, const struct seen_watches *seen)
{
    size_t size = seen->count * (sizeof(char *) + 1);
    for (size_t i = 0; i < seen->count; i++)
        size += strlen(seen->paths[i]) + 1;
    char **watches = seen->count ? xmalloc(size) : NULL;
    char *text = watches ? (char *)(watches + seen->count) : NULL;
    for (size_t i = 0; i < seen->count; i++) {
        size_t length = strlen(seen->paths[i]) + 1;
        watches[i] = memcpy(text, seen->paths[i], length);
        text += length;
    }
    free(shown->watches);
    shown->watch_kinds = seen->kinds && watches ? memcpy(text, seen->kinds, seen->count) : NULL;
    shown->watches = watches;
    shown->watch_count = (uint32_t)seen->count;
}

const struct candidate *client_candidate(const struct client *client, const struct election *election)
{
    const struct candidate *c = client->owned;
    while (c && c->election != election)
        c = c->own->owned_next;
    return c;
}

/* ---- when it was heard ---- */

/* One that moves between servers is heard once before a list shows it. */
#define UNLISTED 2

bool client_is_unlisted(const struct client *client)
{
    return !client->shown.connected && client->unlisted >= UNLISTED;
}

/* One list may have as many by chance. */
#define WHOLE_LISTS 2

bool server_lists_all(const struct server *server)
{
    return server->whole >= WHOLE_LISTS || text_same(server->watches_from, "adminserver");
}

bool client_was_heard(const struct cluster *cluster, const struct client *client, int64_t *low_us,
                      int64_t *high_us)
{
    const struct session_table *clients = cluster->clients;
    const struct client_session *shown = &client->shown;
    if (!shown->alive_known || !shown->alive || client->ends_ms < 0 ||
        clients->sessions_server >= cluster->server_count)
        return false;
    const struct server *leader = &cluster->servers[clients->sessions_server];
    int64_t heard_us = (client->ends_ms - shown->timeout_ms) * 1000; /* or up to a tick before */
    int64_t tick_us = cluster_tick_ms(cluster) * INT64_C(1000);
    if (shown->timeout_ms <= 0 && tick_us > 0) {
        /* Its end is rounded to ticks: a contact that was more than a tick later would have changed it. */
        *low_us = client->heard_since_us > cluster->epoch_us ? client->heard_since_us : INT64_MIN;
        *high_us = client->same_end_us ? client->same_end_us + tick_us : INT64_MAX;
        return true;
    }
    if (shown->timeout_ms <= 0 || !leader->clock_known)
        return false;
    /* Followers report the sessions they heard every half tick. */
    *low_us =
        leader->clock_low_known && tick_us > 0 ? heard_us - 2 * tick_us + leader->clock_low_us : INT64_MIN;
    *high_us = heard_us + leader->clock_high_us;
    /* A new leader of ZooKeeper restarts every timeout, without hearing a session. */
    if (*low_us <= cluster->epoch_us)
        *low_us = INT64_MIN;
    return true;
}
