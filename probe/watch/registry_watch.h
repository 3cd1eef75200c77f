/*
 * registry_watch.h - a directory whose entries name sessions: that which leaders of an election acknowledge
 * in, or that which says who the members are. Its list, its entries, its watch.
 */
#ifndef ELECTOP_PROBE_WATCH_REGISTRY_WATCH_H
#define ELECTOP_PROBE_WATCH_REGISTRY_WATCH_H

#include "probe/watch/election_watch_state.h"

void registry_watch_init(struct registry_watch *, struct election_watch *);
/* Its path is known (NULL: it is not yet): its watch is set, and it is read. Nothing where that was done. */
void registry_watch_set(struct registry_watch *, const char *path);
/* All that was asked for is lost: it is read again. */
void registry_watch_again(struct registry_watch *);

#endif
