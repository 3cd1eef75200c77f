/*
 * discover.h - finds the elections of a cluster by walking its tree, at a bounded rate.
 *
 * Reads only: one list a directory, so many a second. A possible election goes to the live source: a
 * directory whose children have the names of a recipe and are ephemeral, or a lock at a path that a recipe
 * knows. Names alone prove some recipes and only hint at others; the model decides. Other directories with
 * sequential or ephemeral children (registries, semaphores, queues) are kept for the report. A root that is
 * not readable is shown among the elections, as denied; other directories that a walk leaves out are named in
 * words.
 *
 * Where the settings say that it follows, each list leaves a child watch behind, so that later only what has
 * changed is listed. A tree with more directories than a session can watch is walked again from time to time.
 */
#ifndef ELECTOP_PROBE_WATCH_DISCOVER_H
#define ELECTOP_PROBE_WATCH_DISCOVER_H

#include "probe/election/directory_kind.h"
#include "probe/watch/live_cluster.h"

/* The settings hold for every election found. */
struct discover *discover_new(struct live_cluster *live, const struct discover_settings *settings,
                              const struct election_settings *election);
void discover_free(struct discover *discover);

/* The session is connected: begin a walk, if none is under way. renewed: it is a new session, without
   watches. Else nothing is walked where all changes are told. */
void discover_begin(struct discover *discover, bool renewed);

/* There is an election at this full path, as is known from elsewhere: it is watched as if found, if it lies
   below the roots. Without candidates a walk cannot distinguish it from any other directory. */
void discover_known(struct discover *discover, const char *path);

/* What the latest walk did not see, and why, for people; NULL: nothing. Valid until the next one ends. */
const char *discover_left_out(const struct discover *discover);

/* The tree has been walked once. */
bool discover_looked(const struct discover *discover);

/* How far it is, and what it found beside elections. Valid until the loop runs on. */
struct discovery discover_state(struct discover *discover);

#endif
