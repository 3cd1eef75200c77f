/*
 * digest.h - the durations of many failovers, packed so that percentiles of millions need not look at each.
 *
 * A digest contains the lengths of some failovers, separately for each cause, in drawers: the lengths in one
 * differ by at most a 64th. A drawer says how many lengths it has before it lists them. For a percentile of
 * many digests the drawers are counted, and only the one that contains it is opened: the result is exactly
 * that of going through all failovers (failover_stats.h).
 */
#ifndef ELECTOP_PROBE_HISTORY_DIGEST_H
#define ELECTOP_PROBE_HISTORY_DIGEST_H

#include "probe/election/failover.h"
#include "probe/json/buffer.h"

/* Nothing for no samples. False: out of memory. */
bool digest_pack(const struct failover_sample *, size_t count, struct buffer *out);

/* Digests whose statistics are wanted together. Begin with {0}. */
struct digest_sum {
    struct buffer *digests;
    size_t count, room;
};

/* Takes a copy. False: out of memory. */
bool digest_sum_add(struct digest_sum *, const void *digest, size_t length);
/* False: one of them is damaged, or out of memory. */
bool digest_sum_stats(const struct digest_sum *, struct failover_stats *);
void digest_sum_free(struct digest_sum *);

#endif
