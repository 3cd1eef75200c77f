/*
 * announced.h - counts a server's child watches that may belong to clients other than observers.
 *
 * Servers count child watches but do not list them. Other copies of this program announce their own in the
 * name of a path that they watch (probe/watch/observer_watch.h). The server's count, without theirs and ours,
 * is the number of foreign watches. A count is used only if each announcement is known to have held at that
 * time: the observer had the same announcement before and ANNOUNCED_WITHIN_US after, on one connection that
 * lived, since it replaces a wrong announcement within that time. Observers that announce nothing count as
 * foreign.
 */
#ifndef ELECTOP_PROBE_ELECTION_ANNOUNCED_H
#define ELECTOP_PROBE_ELECTION_ANNOUNCED_H

#include "probe/election/session_table.h"

/* The last component of the paths that observers watch. */
#define OBSERVER_NAME "/electop-observer"

/* An observer replaces a wrong announcement within this time. */
#define ANNOUNCED_WITHIN_US INT64_C(2000000)
/* It announces a number only after the number has been right for this long. */
#define ANNOUNCED_BEFORE_US INT64_C(250000)

/* The watch on this path announces an observer. *count: its number of child watches; -1: not announced. */
bool announced_in(const char *path, int32_t *count);

/* A list of watches arrived: the server's count before it is to be settled. */
void announced_counted(struct server *server, const struct observed_watches *seen);
/* A list of connections arrived: settles how many of the counted watches are foreign, as far as known. True:
 * the result has changed. */
bool announced_settle(const struct cluster *cluster, struct server *server,
                      const struct observed_connections *seen);
/* There are watches without an announcement, or nothing is known: no count can be settled. */
void announced_forget(struct server *server);
/* A recent count shows no foreign child watch. */
bool announced_none(const struct server *server);
/* A later poll may prove that no foreign child watch exists there. */
bool announced_may_settle(const struct server *server);

#endif
