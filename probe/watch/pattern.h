/*
 * pattern.h - finds the elections that match a path with wildcards ("/teams/" "*" "/leader"), now and later.
 *
 * Every directory above a wildcard is listed and watched (one child watch each). Where the pattern ends in a
 * name, a match belongs in each directory that exists (one exists watch each): it is watched, whether or not it
 * exists. Matches are passed to the live cluster, which removes those that have been gone for a while, with
 * such a directory.
 */
#ifndef ELECTOP_PROBE_WATCH_PATTERN_H
#define ELECTOP_PROBE_WATCH_PATTERN_H

#include "probe/watch/live_cluster.h"

/* path: full, with at least one wildcard; the settings hold for every match. */
struct pattern *pattern_new(struct live_cluster *live, const char *path,
                            const struct election_settings *settings);
void pattern_free(struct pattern *pattern);

/* Call this when the session is connected: lists everything (again). */
void pattern_begin(struct pattern *pattern);

/* A recording knows an election at this full path: it is watched if it matches. */
void pattern_known(struct pattern *pattern, const char *path);

/* Repeats reads that failed: for a timer. */
void pattern_try_again(struct pattern *pattern);

/* Every directory has been listed once, or has refused it. */
bool pattern_complete(const struct pattern *pattern);

#endif
