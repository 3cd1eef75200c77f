/*
 * child_watches.h - the paths on whose children a session has a one-shot watch set at its server.
 *
 * No server lists watches on children, so the session counts its own: one is added when the list that sets it
 * has been answered, and taken out when its notification has come. Paths are kept as 64-bit hashes.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_CHILD_WATCHES_H
#define ELECTOP_PROBE_ZOOKEEPER_CHILD_WATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct child_watch {
    uint64_t hash; /* 0: free */
    int64_t since_us;
};

/* All zero: empty. */
struct child_watches {
    struct child_watch *list;
    size_t room, count;
};

/* Set since then (monotonic), or before where it was set already. True: it was not set. Where memory runs out
   it is not counted. */
bool child_watches_add(struct child_watches *, const char *path, int64_t since_us);
/* True: it was set. */
bool child_watches_remove(struct child_watches *, const char *path);
/* Those that were set by then and still are. */
size_t child_watches_since(const struct child_watches *, int64_t by_us);
/* The connection was lost and is back, and the library has set all of them again by now. */
void child_watches_restart(struct child_watches *, int64_t now_us);
void child_watches_clear(struct child_watches *);

#endif
