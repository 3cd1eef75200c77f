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

size_t client_host(const struct client_session *client, const char **host)
{
    *host = client->address;
    const char *colon = client->address ? strrchr(client->address, ':') : NULL;
    return colon ? (size_t)(colon - client->address) : client->address ? strlen(client->address) : 0;
}

/* ---- the table ---- */

bool owner_is_session(uint64_t owner)
{
    const uint64_t container = UINT64_C(1) << 63;
    return owner != 0 && owner != container && owner >> 56 != 0xff;
}

static size_t session_table_bucket_of(const struct session_table *clients, uint64_t session)
{
    return (session * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (clients->bucket_count - 1);
}

struct client *session_table_find(const struct session_table *clients, uint64_t session)
{
    if (!clients || clients->bucket_count == 0)
        return NULL;
    struct client *client = clients->buckets[session_table_bucket_of(clients, session)];
    while (client && client->shown.id != session)
        client = client->next;
    return client;
}

static void client_free(struct client *client)
{
    free(client->shown.address);
    free(client->shown.watches);
    free(client);
}

void session_table_drop_strangers(struct session_table *clients)
{
    for (size_t i = 0; i < clients->bucket_count; i++)
        for (struct client **link = &clients->buckets[i]; *link;) {
            struct client *client = *link;
            if (client->shown.connected || client->owned) {
                link = &client->next;
                continue;
            }
            *link = client->next;
            clients->count--;
            client_free(client);
        }
}

/* Two to a bucket: a bucket costs memory for every session, a second step only the lists that are joined. */
static bool full(const struct session_table *clients)
{
    return clients->count >= 2 * clients->bucket_count;
}

static void session_table_grow(struct session_table *clients)
{
    if (!full(clients))
        return;
    size_t room = clients->bucket_count ? clients->bucket_count * 2 : 64;
    struct client **buckets = xcalloc(room, sizeof(struct client *));
    struct session_table old = *clients;
    clients->buckets = buckets;
    clients->bucket_count = room;
    for (size_t i = 0; i < old.bucket_count; i++) {
        struct client *next;
        for (struct client *client = old.buckets[i]; client; client = next) {
            next = client->next;
            struct client **bucket = &buckets[session_table_bucket_of(clients, client->shown.id)];
            client->next = *bucket;
            *bucket = client;
        }
    }
    free(old.buckets);
}

struct client *session_table_make(struct cluster *cluster, uint64_t session)
{
    if (!cluster->clients)
        cluster->clients = xcalloc(1, sizeof *cluster->clients);
    struct session_table *clients = cluster->clients;
    struct client *client = session_table_find(clients, session);
    if (client)
        return client;
    if (full(clients))
        session_table_drop_strangers(clients);
    session_table_grow(clients);
    client = xmalloc(sizeof *client);
    *client = (struct client){.shown = {.id = session,
                                        .established_ms = -1,
                                        .silent_ms = -1,
                                        .last_cxid = -1,
                                        .server = CLIENT_NOWHERE,
                                        .outstanding = -1},
                              .announced = -1,
                              .ends_ms = -1};
    struct client **bucket = &clients->buckets[session_table_bucket_of(clients, session)];
    client->next = *bucket;
    *bucket = client;
    clients->count++;
    return client;
}

void session_table_free(struct session_table *clients)
{
    if (!clients)
        return;
    for (size_t i = 0; i < clients->bucket_count; i++) {
        struct client *next;
        for (struct client *client = clients->buckets[i]; client; client = next) {
            next = client->next;
            client_free(client);
        }
    }
    free(clients->buckets);
    free(clients->ancestors);
    free(clients->above);
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

/* ---- when it was heard ---- */

bool client_was_heard(const struct cluster *cluster, const struct client *client, int64_t *low_us,
                      int64_t *high_us)
{
    const struct session_table *clients = cluster->clients;
    const struct client_session *shown = &client->shown;
    if (!shown->alive_known || !shown->alive || client->ends_ms < 0 || shown->timeout_ms <= 0 ||
        clients->sessions_server >= cluster->server_count)
        return false;
    const struct server *leader = &cluster->servers[clients->sessions_server];
    int64_t heard_us = (client->ends_ms - shown->timeout_ms) * 1000; /* or up to a tick before */
    int64_t tick_us = cluster_tick_ms(cluster) * INT64_C(1000);
    if (!leader->clock_known)
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
