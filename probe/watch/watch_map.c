#include "probe/watch/watch_map.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a: paths are few (three an election) and long-lived. */
static uint32_t watch_map_hash_of(const char *path)
{
    uint32_t hash = 2166136261u;
    for (const unsigned char *p = (const unsigned char *)path; *p; p++)
        hash = (hash ^ *p) * 16777619u;
    return hash;
}

static bool watch_map_grow(struct watch_map *map)
{
    size_t count = map->bucket_count ? map->bucket_count * 2 : 64;
    struct watch_entry **buckets = calloc(count, sizeof *buckets);
    if (!buckets)
        return false;
    for (size_t i = 0; i < map->bucket_count; i++)
        for (struct watch_entry *e = map->buckets[i], *next; e; e = next) {
            next = e->next;
            e->next = buckets[e->hash % count];
            buckets[e->hash % count] = e;
        }
    free(map->buckets);
    map->buckets = buckets;
    map->bucket_count = count;
    return true;
}

bool watch_map_put(struct watch_map *map, struct watch_entry *entry, const char *path)
{
    if (entry->path && strcmp(entry->path, path) == 0)
        return true;
    char *copy = strdup(path);
    watch_map_remove(map, entry);
    if (!copy || (map->count >= map->bucket_count && !watch_map_grow(map))) {
        free(copy);
        return false;
    }
    entry->path = copy;
    entry->hash = watch_map_hash_of(path);
    struct watch_entry **bucket = &map->buckets[entry->hash % map->bucket_count];
    entry->next = *bucket;
    *bucket = entry;
    map->count++;
    return true;
}

void watch_map_remove(struct watch_map *map, struct watch_entry *entry)
{
    if (!entry->path)
        return;
    struct watch_entry **at = &map->buckets[entry->hash % map->bucket_count];
    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    map->count--;
    free(entry->path);
    entry->path = NULL;
    entry->next = NULL;
}

/* A handler may change the map, so the chain is walked anew after each call; few entries share a path. */
#define SHARERS_MOST 64

void watch_map_notify(struct watch_map *map, enum session_notice notice, const char *path)
{
    if (!map->bucket_count)
        return;
    uint32_t hash = watch_map_hash_of(path);
    struct watch_entry *told[SHARERS_MOST];
    size_t count = 0;
    for (;;) {
        struct watch_entry *e = map->buckets[hash % map->bucket_count];
        for (; e; e = e->next) {
            if (e->hash != hash || strcmp(e->path, path) != 0)
                continue;
            size_t i = 0;
            while (i < count && told[i] != e)
                i++;
            if (i == count)
                break;
        }
        if (!e || count == SHARERS_MOST)
            return;
        told[count++] = e;
        e->notice(e->context, notice);
    }
}

struct watch_entry *watch_map_next(const struct watch_map *map, const char *path,
                                   const struct watch_entry *after)
{
    if (!map->bucket_count)
        return NULL;
    uint32_t hash = watch_map_hash_of(path);
    struct watch_entry *e = after ? after->next : map->buckets[hash % map->bucket_count];
    while (e && (e->hash != hash || strcmp(e->path, path) != 0))
        e = e->next;
    return e;
}

void watch_map_clear(struct watch_map *map)
{
    for (size_t i = 0; i < map->bucket_count; i++)
        for (struct watch_entry *e = map->buckets[i], *next; e; e = next) {
            next = e->next;
            free(e->path);
            e->path = NULL;
            e->next = NULL;
        }
    free(map->buckets);
    *map = (struct watch_map){0};
}
