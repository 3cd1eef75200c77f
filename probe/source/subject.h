/*
 * subject.h - one election being watched live: what is read, when, and which watches are set.
 *
 * At most three one-shot watches: the children of the election, the leader's znode (for a lock: the lock
 * itself), and the mark. A notification of the leader's end is passed on at once, however long the list
 * is; the list is read again at most every few milliseconds to a quarter of a second, by its length.
 */
#ifndef ELECTOP_PROBE_SOURCE_SUBJECT_H
#define ELECTOP_PROBE_SOURCE_SUBJECT_H

#include "probe/source/live.h"

struct subject *subject_new(struct live *, struct lane *, const char *path, const struct election_settings *,
                            enum election_origin);
void subject_free(struct subject *);

const char *subject_path(const struct subject *);
struct lane *subject_lane(const struct subject *);

/* The session is connected: read everything (again) and set every watch. */
void subject_begin(struct subject *);

/* The program stood still: what was asked for before tells nothing of the meantime, and the same is read
 * again. */
void subject_woke(struct subject *);

/* So many watches on children of this lane's session have certainly stood at its server from then (monotonic)
   on until its latest answer. */
size_t subjects_child_watches(const struct live *, const struct lane *, int64_t since_us);

/* The servers do not answer a read of path (list: of its children): it is told where what is known here may
   be otherwise because of that. */
void subject_unread(struct subject *, const char *path, bool list);

/* Everything about it has been looked at, or it is known that it cannot be. */
bool subject_looked(const struct subject *);

/* Found by pattern or discovery, and gone for so long that nobody misses it. */
bool subject_is_forgotten(const struct subject *, uint64_t now_ms);

/* Reads the lists of all elections of which something is suspected once more, each after a sync: what the
   servers told before is then known to have been told of the line as it still is. */
void subjects_confirm(struct live *);

#endif
