#include "probe/election/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "config/room.h"
#include "config/znode_path.h"
#include "probe/election/election.h"
#include "probe/election/name_hash.h"

#define PATH_SEED 0x6c62272e07bb0142u

uint32_t cluster_path_hash(const char *path, size_t length)
{
    return name_hash(path, length, PATH_SEED);
}

static struct election **path_link(const struct cluster *cluster, const char *path, size_t length,
                                   uint32_t hash)
{
    struct election **link = &cluster->buckets[hash & (cluster->bucket_count - 1)];
    while (*link && ((*link)->path_hash != hash || strncmp((*link)->path, path, length) != 0 ||
                     (*link)->path[length] != '\0'))
        link = &(*link)->path_next;
    return link;
}

struct election *cluster_election(const struct cluster *cluster, const char *path, size_t length)
{
    if (cluster->bucket_count == 0)
        return NULL;
    return *path_link(cluster, path, length, cluster_path_hash(path, length));
}

static bool cluster_reserve(struct cluster *cluster)
{
    if (!room_for_one(&cluster->elections, cluster->election_count, &cluster->election_room,
                      sizeof(struct election *)))
        return false;
    if (cluster->election_count < cluster->bucket_count)
        return true;
    size_t larger = cluster->bucket_count ? cluster->bucket_count * 2 : 8;
    struct election **buckets = calloc(larger, sizeof(struct election *));
    if (!buckets)
        return false;
    for (size_t i = 0; i < cluster->election_count; i++) {
        struct election *election = cluster->elections[i];
        election->path_next = buckets[election->path_hash & (larger - 1)];
        buckets[election->path_hash & (larger - 1)] = election;
    }
    free(cluster->buckets);
    cluster->buckets = buckets;
    cluster->bucket_count = larger;
    return true;
}

/* The order in which a server lists discovered elections means nothing: those are sorted by path, after
   configured ones, which keep their order. */
static bool stands_before(const struct election *one, const struct election *newcomer)
{
    bool found = one->origin != ORIGIN_CONFIGURED, found_too = newcomer->origin != ORIGIN_CONFIGURED;
    return !found || (found_too && znode_path_compare(one->path, newcomer->path) < 0);
}

static size_t place_for(const struct cluster *cluster, const struct election *newcomer)
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

bool cluster_add(struct cluster *cluster, struct election *election)
{
    if (!cluster_reserve(cluster))
        return false;
    struct election **bucket = &cluster->buckets[election->path_hash & (cluster->bucket_count - 1)];
    election->path_next = *bucket;
    *bucket = election;
    size_t place = place_for(cluster, election);
    memmove(cluster->elections + place + 1, cluster->elections + place,
            (cluster->election_count++ - place) * sizeof(struct election *));
    cluster->elections[place] = election;
    cluster->paths_changed = true;
    return true;
}

void cluster_remove(struct cluster *cluster, struct election *election)
{
    *path_link(cluster, election->path, strlen(election->path), election->path_hash) = election->path_next;
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

const char *server_mode_word(enum server_mode mode)
{
    static const char *const words[] = {
        [SERVER_UNKNOWN] = NULL,        [SERVER_STANDALONE] = "standalone", [SERVER_LEADER] = "leader",
        [SERVER_FOLLOWER] = "follower", [SERVER_OBSERVER] = "observer",     [SERVER_READ_ONLY] = "read-only"};
    return words[mode];
}
