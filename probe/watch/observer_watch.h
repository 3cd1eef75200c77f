/*
 * observer_watch.h - marks a session as an observer for other copies of this program, and announces its
 * number of child watches.
 *
 * Servers count child watches but do not list them. A copy of this program that finds a session without any
 * listed watch must know that none of the counted ones can belong to it. So each observer announces its own
 * number in the name of a path that it watches for existence and that is never created:
 *
 *     /electop-observer                             an observer; the number of its child watches is not known
 *     /electop-12-child-watches-3/electop-observer  it has had exactly 12 since this announcement
 *
 * Both paths are below the chroot. The last number increases with every announcement. A child watch that
 * fires is set again within a moment and counts as a change of the number; the announcement is replaced soon
 * after. So if two lists of a server show the same announcement, the number held between them, except for the
 * last moment before the second list (see announced.h in probe/election).
 *
 * Replacing an announcement means removing its watch, which servers support since version 3.5. With an older
 * server, or an unknown version, nothing is announced.
 */
#ifndef ELECTOP_PROBE_WATCH_OBSERVER_WATCH_H
#define ELECTOP_PROBE_WATCH_OBSERVER_WATCH_H

#include "probe/watch/live_cluster.h"

struct observer_watch;

/* Borrows both. */
struct observer_watch *observer_watch_new(const struct live_cluster *live, struct session *session);
void observer_watch_free(struct observer_watch *observer_watch);

/* The session is new and has no watches. */
void observer_watch_begin(struct observer_watch *observer_watch);
/* The session's number of child watches has changed. */
void observer_watch_changed(struct observer_watch *observer_watch);

/* Announces an observer that sets no child watches. */
void observer_watch_plainly(const struct live_cluster *live, struct session *session);

#endif
