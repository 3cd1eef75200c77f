/*
 * observer_watch.h - announces to other copies of this program that a session is an observer, and its number
 * of child watches.
 *
 * The servers count child watches and list none. A copy of this program that finds a session without
 * any watch must know that none of the counted ones could serve it. So each observer announces its own,
 * in the name of a path that it watches for existence and that is never created:
 *
 *     /electop-observer                             an observer; the number of its child watches is not known
 *     /electop-12-child-watches-3/electop-observer  it has had exactly 12 since it announced that
 *
 * Both are below the chroot. The last number increases with every announcement. A child watch that
 * fires is set again within a moment, and counts as a change of their number: soon after it the announcement
 * is replaced. So the same announcement in two lists of a server proves that the number held in between,
 * except for the last moment before the second list (see announced.h in probe/election).
 *
 * To replace an announcement its watch is removed, which servers support since version 3.5: with an
 * older server, or without a known version, nothing is announced.
 */
#ifndef ELECTOP_PROBE_WATCH_OBSERVER_WATCH_H
#define ELECTOP_PROBE_WATCH_OBSERVER_WATCH_H

#include "probe/watch/live_cluster.h"

struct observer_watch;

/* Borrows both. */
struct observer_watch *observer_watch_new(const struct live_cluster *live, struct session *session);
void observer_watch_free(struct observer_watch *observer_watch);

/* The session is a new one, and has no watch. */
void observer_watch_begin(struct observer_watch *observer_watch);
/* It has another number of watches on children. */
void observer_watch_changed(struct observer_watch *observer_watch);

/* Announces an observer that sets no child watch. */
void observer_watch_plainly(const struct live_cluster *live, struct session *session);

#endif
