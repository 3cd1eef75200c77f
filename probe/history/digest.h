/*
 * digest.h - the durations of many failovers, packed so that percentiles of millions need not read each.
 *
 * A digest contains the lengths of some failovers, separately for each cause, in buckets: the lengths in one
 * differ by at most a 64th. A bucket says how many lengths it has before it lists them. For a percentile of
 * many digests the buckets are counted, and only the one that contains it is opened: the result is exactly
 * that of going through all failovers (failover_stats_make()).
 */
#ifndef ELECTOP_PROBE_HISTORY_DIGEST_H
#define ELECTOP_PROBE_HISTORY_DIGEST_H

#include <sqlite3.h>

#include "probe/election/failover.h"
#include "probe/json/buffer.h"

/* Nothing for no samples. */
void digest_pack(const struct failover_sample *samples, size_t count, struct buffer *out);

/* Digests whose statistics are wanted together. Begin with {0}. */
struct digest_sum {
    struct buffer *digests;
    size_t count, room;
};

/* Takes a copy. */
void digest_sum_add(struct digest_sum *sum, const void *digest, size_t length);
/* False: one of them is damaged. */
bool digest_sum_stats(const struct digest_sum *sum, struct failover_stats *stats);
void digest_sum_free(struct digest_sum *sum);

/*
 * The durations of a recording's failovers, and nothing else of them: there may be millions.
 *
 * The recorder digests them by the hour, at leisure; where a digest is missing, because the hour
 * is not over, or rows were added late or removed as too old (which removes the digest), the
 * failovers themselves are read.
 */

#define LENGTHS_HOUR_US INT64_C(3600000000)

/* Begin with {0}; free(list). */
struct samples {
    struct failover_sample *list;
    size_t count, room;
};

/* Adds those of one election that were lost in [from, to). False: see sqlite3_errcode(). */
bool digest_read(sqlite3 *db, int64_t election, int64_t from_us, int64_t to_us, struct samples *samples);
/* The same of all elections of a cluster. */
bool digest_read_cluster(sqlite3 *db, int64_t cluster, int64_t from_us, int64_t to_us,
                         struct samples *samples);

/*
 * Digests at most one hour that has none: the first from *hour on that was over a while before now. *hour
 * goes on, to be handed in again (0: from the recording's beginning). Inside a transaction; false: it must be
 * rolled back.
 */
bool digest_hour(sqlite3 *db, int64_t now_us, int64_t *hour);
/* Whether there may be something to do. */
bool digest_is_due(int64_t now_us, int64_t hour);

enum failover_cause digest_cause(const char *word); /* CAUSE_UNKNOWN: of a newer program */

#endif
