/*
 * announced.h - how many of a server's child watches may belong to clients other than observers.
 *
 * Servers count child watches and list none. Other copies of this program announce their own in the
 * name of a path that they watch (probe/watch/observer_watch.h): the rest of the server's count, without
 * theirs and ours, are foreign watches. Only a count counts during which each announcement is known
 * to have held: the observer was seen with the same one before and ANNOUNCED_WITHIN_US after, on one
 * connection that lived, since it replaces a wrong one within that time. Observers that
 * announce nothing count as foreign here.
 */
#ifndef ELECTOP_PROBE_ELECTION_ANNOUNCED_H
#define ELECTOP_PROBE_ELECTION_ANNOUNCED_H

#include "probe/election/session_table.h"

/* The last component of the paths that observers watch. */
#define OBSERVER_NAME "/electop-observer"

/* An observer replaces an announcement within this after it has become wrong ... */
#define ANNOUNCED_WITHIN_US INT64_C(2000000)
/* ... and makes one only when it has been right for this long. */
#define ANNOUNCED_BEFORE_US INT64_C(250000)

/* The watch on this path announces an observer; *count: of its watches on children, -1: it announces none. */
bool announced_in(const char *path, int32_t *count);

/* A list of watches came: what its server counted before that is to be settled. */
void announced_counted(struct server *server, const struct observed_watches *seen);
/* A list of connections came: settles how many of those counted are strangers', as far as it is known now.
   True: it is otherwise than before. */
bool announced_settle(const struct cluster *cluster, struct server *server,
                      const struct observed_connections *seen);
/* There are watches without an announcement, or nothing is known: no count can be settled. */
void announced_forget(struct server *server);
/* A later look may prove that no stranger has a watch on children there. */
bool announced_may_settle(const struct server *server);

#endif
