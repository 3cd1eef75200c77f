/*
 * digest.h - how long many failovers took, packed so that percentiles of millions need not look at each.
 *
 * A digest holds the lengths of some failovers, each cause for itself, in drawers: what is in one differs by
 * at most a 64th. A drawer says how many are in it before it lists them. For a percentile of many digests the
 * drawers are counted, and only the one in which it lies is opened: the figure is the very one that going
 * through all failovers finds (failover_stats.h).
 */
#ifndef ELECTOP_PROBE_HISTORY_DIGEST_H
#define ELECTOP_PROBE_HISTORY_DIGEST_H

#include "probe/election/failover_stats.h"
#include "probe/sink/buffer.h"

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
