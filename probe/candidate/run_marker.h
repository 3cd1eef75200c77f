/*
 * run_marker.h - how a znode in the sandbox is recognised as this program's own. Any other znode stays.
 *
 * A persistent znode contains a mark: its data names the run and the pattern of its candidates' names, and
 * its version shows that it was not written since. Candidates and markers are ephemeral, and contain the data
 * of the layout: they are recognised by their names.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_RUN_MARKER_H
#define ELECTOP_PROBE_CANDIDATE_RUN_MARKER_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/election/observation.h"

/* The data of the sandbox itself, where it was we who made it. */
#define SANDBOX_MARK "electop sandbox"

/* What the data of whatever lasts in a run begins with: it ends there, or the line does. */
#define RUN_MARK "electop run"

/* The data of a directory of a run, malloc'd. names: see naming.h, or the one name of a lock with "=" in
   front; NULL: none is known. NULL: out of memory. */
char *run_marker_make(const char *names);

/* A znode with this Stat and data was made to last by a run, and is as it was made. */
bool run_marker_is(const struct znode_stat *, const void *data, size_t length);

/* As given to run_marker_make(), malloc'd; NULL: none, or out of memory. */
char *run_marker_names(const void *data, size_t length);

/* An ephemeral of this name could be a candidate of the run; names NULL: no. */
bool run_marker_fits(const char *names, const char *name);

#endif
