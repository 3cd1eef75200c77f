/*
 * election_watch.h - watches one live election: its reads, their order, and its watches.
 *
 * An election needs at most three one-shot watches: on its children, on the leader's znode (for a lock: the
 * lock itself), and on the acknowledgement. The end of a leader is reported at once, however long the list of
 * children is. The list is read again at most every few milliseconds to a quarter of a second, depending on
 * its length.
 */
#ifndef ELECTOP_PROBE_WATCH_ELECTION_WATCH_H
#define ELECTOP_PROBE_WATCH_ELECTION_WATCH_H

#include "probe/watch/live_cluster.h"

/* seen: see live_cluster_watch(); NULL: read everything. */
struct election_watch *election_watch_new(struct live_cluster *live, struct session_shard *shard,
                                          const char *path, const struct election_settings *settings,
                                          enum election_origin origin, const struct election_seen *seen);
void election_watch_free(struct election_watch *election_watch);

const char *election_watch_path(const struct election_watch *election_watch);
struct session_shard *election_watch_shard(const struct election_watch *election_watch);

/* Candidates that are not read yet. */
size_t election_watch_unknown(const struct election_watch *election_watch);
/* Call this when the session is connected: reads everything (again) and sets every watch. */
void election_watch_begin(struct election_watch *election_watch);

/* The program was stalled. Answers to earlier requests say nothing about that time, so everything is read
 * again. */
void election_watch_woke(struct election_watch *election_watch);

/* The servers do not answer a read of path (list: of its children). This is reported if known facts may be
 * outdated as a result. */
void election_watch_unread(struct election_watch *election_watch, const char *path, bool list);

/* Everything about the election has been read, or is known to be unreadable. */
bool election_watch_complete(const struct election_watch *election_watch);

/* The snapshot ends, complete or not. If a candidate ended and the next list has not come, the election counts as
 * unread: its candidates would be those of two moments. */
void election_watch_cut(struct election_watch *election_watch);

/* Found by pattern or discovery, and gone long enough to be removed. */
bool election_watch_is_forgotten(const struct election_watch *election_watch, uint64_t now_ms);

/* Reads the lists of all elections with suspected findings once more, each after a sync. This proves that
 * earlier facts from the servers apply to the present candidates. */
void election_watches_confirm(struct live_cluster *live);

/* Reads the candidates that wait for their turn, as many at a time as allowed. */
void election_watches_read(struct live_cluster *live);
/* Repeats the reads that failed. */
void election_watches_read_again(struct live_cluster *live);

#endif
