/*
 * lengths.h - the durations of a recording's failovers, and nothing else of them: there may be millions.
 *
 * The recorder digests them by the hour (digest.h), at leisure; where a digest is missing, because the hour
 * is not over, or rows were added late or removed as too old (which removes the digest), the
 * failovers themselves are read.
 */
#ifndef ELECTOP_PROBE_HISTORY_LENGTHS_H
#define ELECTOP_PROBE_HISTORY_LENGTHS_H

#include <sqlite3.h>

#include "probe/election/failover.h"

#define LENGTHS_HOUR_US INT64_C(3600000000)

/* Begin with {0}; free(list). */
struct samples {
    struct failover_sample *list;
    size_t count, room;
};

/* Adds those of one election that were lost in [from, to). False: see sqlite3_errcode(), or out of memory. */
bool lengths_read(sqlite3 *, int64_t election, int64_t from_us, int64_t to_us, struct samples *);
/* The same of all elections of a cluster. */
bool lengths_read_cluster(sqlite3 *, int64_t cluster, int64_t from_us, int64_t to_us, struct samples *);

/*
 * Digests at most one hour that has none: the first from *hour on that was over a while before now. *hour
 * goes on, to be handed in again (0: from the recording's beginning). Inside a transaction; false: it must be
 * rolled back.
 */
bool lengths_digest(sqlite3 *, int64_t now_us, int64_t *hour);
/* Whether there may be something to do. */
bool lengths_due(int64_t now_us, int64_t hour);

enum failover_cause lengths_cause(const char *word); /* CAUSE_UNKNOWN: of a newer program */

#endif
