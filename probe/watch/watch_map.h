/*
 * watch_map.h - the receivers of notifications, by path.
 *
 * ZooKeeper's notifications carry a path and nothing else. An entry names the receiver for a path,
 * and stays until it is removed, whether a watch is set at the moment or not. It is part of its owner's
 * struct: the map allocates only the copy of the path.
 */
#ifndef ELECTOP_PROBE_WATCH_WATCH_MAP_H
#define ELECTOP_PROBE_WATCH_WATCH_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/zookeeper/session.h"

struct watch_entry {
    char *path; /* NULL: not in the map */
    void (*notice)(void *context, enum session_notice);
    void *context;
    uint32_t hash;
    struct watch_entry *next;
};

struct watch_map {
    struct watch_entry **buckets;
    size_t bucket_count, count;
};

/* Puts entry under path (taking it from where it was). False: out of memory; it is then nowhere. */
bool watch_map_put(struct watch_map *, struct watch_entry *, const char *path);
void watch_map_remove(struct watch_map *, struct watch_entry *);

/* Calls every entry of that path. Entries may be put and removed meanwhile. */
void watch_map_notify(struct watch_map *, enum session_notice, const char *path);

/* The entries of a path, one after the other: after NULL comes the first, after the last NULL. */
struct watch_entry *watch_map_next(const struct watch_map *, const char *path,
                                   const struct watch_entry *after);

/* Frees the map's own memory; entries still in it are forgotten. */
void watch_map_clear(struct watch_map *);

#endif
