/*
 * discover.h - finds the elections of a cluster by walking its tree at a bounded rate.
 *
 * Discovery only reads: one list per directory, at a limited number per second. It passes possible elections to
 * the live cluster: a directory whose children are ephemeral and named as in a recipe, or a lock at a path that
 * a recipe defines. Names prove some recipes and only suggest others; the model decides. Other directories with
 * sequential or ephemeral children (registries, semaphores, queues) are kept for the report. An unreadable root
 * is shown among the elections, as denied. Other directories that a walk leaves out are listed in a message. So
 * are empty directories that may have been elections.
 *
 * A walk keeps a bounded number of names that are still to be read, whatever the size of the tree: it goes
 * depth first, and reads a list again that there was no room for.
 *
 * If the settings ask for it, each list leaves a child watch behind, and later only changed directories are
 * listed. A tree with more directories than a session can watch is walked again at intervals.
 */
#ifndef ELECTOP_PROBE_WATCH_DISCOVER_H
#define ELECTOP_PROBE_WATCH_DISCOVER_H

#include "probe/election/directory_kind.h"
#include "probe/watch/live_cluster.h"

/* The settings hold for every election found. */
struct discover *discover_new(struct live_cluster *live, const struct discover_settings *settings,
                              const struct election_settings *election);
void discover_free(struct discover *discover);

/* Call this when the session is connected. Begins a walk unless one is under way. renewed: the session is new
 * and has no watches. If it is not new and watches report all changes, no walk is needed. */
void discover_begin(struct discover *discover, bool renewed);

/* Adds an election known from another source, by full path. It is watched like a discovered one if it lies
 * below the roots. A walk cannot recognise an election without candidates. */
void discover_known(struct discover *discover, const char *path);

/* The message about directories that the latest walk left out, and why; NULL: none. Valid until the next walk
 * ends. */
const char *discover_left_out(const struct discover *discover);
/* A child that no request can name was listed, or is no more: the message is made again, now or when the walk ends. */
void discover_misnamed(struct discover *discover);
/* It left out none, and the message only names paths that may have been elections. */
bool discover_sees_all(const struct discover *discover);

/* The tree has been walked at least once. */
bool discover_complete(const struct discover *discover);

/* The progress of discovery, and the directories found that are not elections. Valid until the loop
 * continues. */
struct discovery discover_state(struct discover *discover);

#endif
