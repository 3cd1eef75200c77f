/*
 * pattern.h - the elections of a path with wildcards ("/teams/" "*" "/leader"), now and later.
 *
 * Every directory with a wildcard behind it is listed and watched (one child watch each); a match whose
 * last components do not exist yet is waited for (one exists watch each). Matches are handed to
 * the live source; those that vanish are forgotten by it after a while.
 */
#ifndef ELECTOP_PROBE_WATCH_PATTERN_H
#define ELECTOP_PROBE_WATCH_PATTERN_H

#include "probe/watch/live_cluster.h"

/* path: full, with at least one wildcard; the settings hold for every match. */
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
