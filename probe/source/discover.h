/*
 * discover.h - finds the elections of a cluster by walking its tree, gently and again from time to time.
 *
 * Reads only: one list a directory, a bounded number at a time, no watches. What it takes for an election
 * goes to the live source: a directory whose children have the names of a recipe and are ephemeral, or a
 * lock at a path that a recipe knows. Names alone prove some recipes and only hint at others; the model
 * tells which. A root that may not be read stands among the elections, as denied; what else a walk leaves
 * out is told in words.
 */
#ifndef ELECTOP_PROBE_SOURCE_DISCOVER_H
#define ELECTOP_PROBE_SOURCE_DISCOVER_H

#include "probe/source/live.h"

/* The settings hold for every election found. NULL: out of memory. */
struct discover *discover_new(struct live *, const struct discover_settings *,
                              const struct election_settings *);
void discover_free(struct discover *);

/* The session is connected: begin a walk, if none is under way. */
void discover_begin(struct discover *);

/* There is one at this full path, as is known from elsewhere: it is watched as if found, where that lies
   below the roots. One at which nobody stands just now is not told from any other directory by walking. */
void discover_known(struct discover *, const char *path);

/* What the latest walk did not see, and why, for people; NULL: nothing. Valid until the next one ends. */
const char *discover_left_out(const struct discover *);

/* The tree has been walked once. */
bool discover_looked(const struct discover *);

#endif
