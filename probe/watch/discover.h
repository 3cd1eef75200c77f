/*
 * discover.h - finds the elections of a cluster by walking its tree, gently and repeatedly.
 *
 * Reads only: one list a directory, a bounded number at a time, no watches. A possible election
 * goes to the live source: a directory whose children have the names of a recipe and are ephemeral, or a
 * lock at a path that a recipe knows. Names alone prove some recipes and only hint at others; the model
 * decides. A root that is not readable is shown among the elections, as denied; other directories that a walk
 * leaves out are named in words.
 */
#ifndef ELECTOP_PROBE_WATCH_DISCOVER_H
#define ELECTOP_PROBE_WATCH_DISCOVER_H

#include "probe/watch/live_cluster.h"

/* The settings hold for every election found. NULL: out of memory. */
struct discover *discover_new(struct live_cluster *live, const struct discover_settings *settings,
                              const struct election_settings *election);
void discover_free(struct discover *discover);

/* The session is connected: begin a walk, if none is under way. */
void discover_begin(struct discover *discover);

/* There is an election at this full path, as is known from elsewhere: it is watched as if found, if it lies
   below the roots. Without candidates a walk cannot distinguish it from any other directory. */
void discover_known(struct discover *discover, const char *path);

/* What the latest walk did not see, and why, for people; NULL: nothing. Valid until the next one ends. */
const char *discover_left_out(const struct discover *discover);

/* The tree has been walked once. */
bool discover_looked(const struct discover *discover);

/*
 * The elections of a path with wildcards ("/teams/" "*" "/leader"), now and later.
 *
 * Every directory with a wildcard behind it is listed and watched (one child watch each); a match whose
 * last components do not exist yet is waited for (one exists watch each). Matches are handed to
 * the live source; those that vanish are forgotten by it after a while.
 */

/* path: full, with at least one wildcard; the settings hold for every match. NULL: out of memory. */
struct pattern *pattern_new(struct live_cluster *live, const char *path,
                            const struct election_settings *settings);
void pattern_free(struct pattern *pattern);

/* The session is connected: list everything (again). */
void pattern_begin(struct pattern *pattern);

/* The match at this path is not watched any more: wait for it to appear anew. */
void pattern_wait_again(struct pattern *pattern, const char *path);

/* Repeats reads that failed: for a timer. */
void pattern_try_again(struct pattern *pattern);

/* Every directory has been listed once, or refused to be. */
bool pattern_looked(const struct pattern *pattern);

#endif
