/*
 * recipe_table.h - the built-in layouts, one row each; recipe.h says what the columns mean.
 *
 * Order matters: fixed paths first, then the specific names, the most specific ones before the others. The
 * last two rows are the generic ones.
 */
#ifndef ELECTOP_PROBE_ELECTION_RECIPE_TABLE_H
#define ELECTOP_PROBE_ELECTION_RECIPE_TABLE_H

#include "probe/election/recipe.h"

#define RECIPE_ANY_SEQUENCE "sequence"
#define RECIPE_ANY_LOCK "lock"

/* PCRE2 over paths of directories that look like elections and are none. */
#define RECIPE_NOT_AN_ELECTION "(^|/)(coordinators|workers)_service_registry$|/leader/election/latch$"

extern const struct recipe recipe_table[];
extern const size_t recipe_table_count;

#endif
