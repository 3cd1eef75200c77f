/*
 * run_mark.h - by what a znode in the sandbox is known to be this program's own. What is not known to be
 * stays.
 *
 * Whatever is made there to last holds a mark: its data says that it is of a run, and after which pattern the
 * run's candidates are named. Nobody has written to it since. Candidates and signs are ephemeral, and hold
 * what the layout wants: they are known by their names.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_MARK_H
#define ELECTOP_PROBE_INJECT_RUN_MARK_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/election/observation.h"

/* The data of the sandbox itself, where it was we who made it. */
#define SANDBOX_MARK "electop sandbox"

/* What the data of whatever lasts in a run begins with: it ends there, or the line does. */
#define RUN_MARK "electop run"

/* The data of a directory of a run, malloc'd. names: see naming.h, or the one name of a lock with "=" in
   front; NULL: none is known. NULL: out of memory. */
char *run_mark_make(const char *names);

/* A znode with this Stat and data was made to last by a run, and is as it was made. */
bool run_mark_is(const struct znode_stat *, const void *data, size_t length);

/* As given to run_mark_make(), malloc'd; NULL: none, or out of memory. */
char *run_mark_names(const void *data, size_t length);

/* An ephemeral of this name could be a candidate of the run; names NULL: no. */
bool run_mark_fits(const char *names, const char *name);

#endif
