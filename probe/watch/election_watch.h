/*
 * election_watch.h - watches one live election: its reads, their order, and its watches.
 *
 * At most three one-shot watches: the children of the election, the leader's znode (for a lock: the lock
 * itself), and the acknowledgement. A notification of the leader's end is passed on at once, however long the
 * list is; the list is read again at most every few milliseconds to a quarter of a second, by its length.
 */
#ifndef ELECTOP_PROBE_WATCH_ELECTION_WATCH_H
#define ELECTOP_PROBE_WATCH_ELECTION_WATCH_H

#include "probe/watch/live_cluster.h"

/* seen: see live_cluster_watch(); NULL: all of it is read. */
struct election_watch *election_watch_new(struct live_cluster *live, struct session_shard *shard,
                                          const char *path, const struct election_settings *settings,
                                          enum election_origin origin, const struct election_seen *seen);
void election_watch_free(struct election_watch *election_watch);

const char *election_watch_path(const struct election_watch *election_watch);
struct session_shard *election_watch_shard(const struct election_watch *election_watch);

/* The session is connected: read everything (again) and set every watch. */
void election_watch_begin(struct election_watch *election_watch);

/* The program was stalled: answers to earlier requests do not show the time since, and the same is read
 * again. */
void election_watch_woke(struct election_watch *election_watch);

/* The servers do not answer a read of path (list: of its children): reported where known facts may be
   outdated because of that. */
void election_watch_unread(struct election_watch *election_watch, const char *path, bool list);

/* Everything about it has been looked at, or it is known that it cannot be. */
bool election_watch_looked(const struct election_watch *election_watch);

/* Found by pattern or discovery, and gone for so long that it may be removed. */
bool election_watch_is_forgotten(const struct election_watch *election_watch, uint64_t now_ms);

/* Reads the lists of all elections with suspected findings once more, each after a sync: this proves that
   earlier facts of the servers describe the present line. */
void election_watches_confirm(struct live_cluster *live);

/* Reads the candidates that wait for their turn, as many at a time as are allowed. */
void election_watches_read(struct live_cluster *live);
/* Reads again those whose last read failed. */
void election_watches_read_again(struct live_cluster *live);

#endif
