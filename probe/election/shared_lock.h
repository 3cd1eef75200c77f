/*
 * shared_lock.h - read-write locks: which members hold the lock together, and which member each of the others
 * waits for.
 *
 * kazoo's ReadLock and WriteLock and Curator's InterProcessReadWriteLock put readers and writers into one
 * line. The readers at its head hold the lock together; a writer holds it alone. A writer waits for the
 * member before it, of either kind. A reader waits for a writer before it: kazoo's for the nearest, Curator's
 * for the first. A reader with no writer before it holds the lock and watches nothing.
 *
 * An election is treated as one as soon as a reader is in its line (election->reader_count).
 */
#ifndef ELECTOP_PROBE_ELECTION_SHARED_LOCK_H
#define ELECTOP_PROBE_ELECTION_SHARED_LOCK_H

#include "probe/election/election.h"

bool shared_lock(const struct election *);

/* So many members, from the head of the line, hold it now. Of an election that is no shared lock: the leader.
 */
size_t shared_lock_holders(const struct election *);
bool shared_lock_holds(const struct election *, const struct candidate *);

/* The member that the one at this place waits for: of several possible ones, the nearest. NULL: none, it
 * holds. */
const struct candidate *shared_lock_awaited(const struct election *, size_t place);

/* The member waits for this one, or may as well: its end brings the member's turn nearer. */
bool shared_lock_serves(const struct election *, const struct candidate *member,
                        const struct candidate *watched);

#endif
