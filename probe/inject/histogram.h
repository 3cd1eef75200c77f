/*
 * histogram.h - durations, counted in buckets of at most 1.6 % of their value, so that percentiles cost no
 * memory a sample.
 *
 * Durations are microseconds; longer ones than 2^40 (12 days) count as that. A zeroed histogram is empty.
 */
#ifndef ELECTOP_PROBE_INJECT_HISTOGRAM_H
#define ELECTOP_PROBE_INJECT_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_FINE_BITS 6 /* values below 2^6 exactly; above, as many steps to each doubling */
#define HISTOGRAM_BUCKETS ((40 - HISTOGRAM_FINE_BITS + 1) << HISTOGRAM_FINE_BITS)

struct histogram {
    uint64_t count;
    int64_t least_us, most_us; /* exact */
    int64_t sum_us;
    uint32_t buckets[HISTOGRAM_BUCKETS];
};

/* Negative durations count as 0. */
void histogram_add(struct histogram *, int64_t us);
/* All of the other's too, as when the agents of a run hand in theirs. */
void histogram_merge(struct histogram *, const struct histogram *other);

/*
 * The duration that this part (0.5, 0.99) of all do not exceed: the upper end of its bucket, never above
 * the longest. 0 where there is none.
 */
int64_t histogram_percentile(const struct histogram *, double part);

/* The i-th bucket covers low to high, both included; for drawing. */
void histogram_bucket(size_t i, int64_t *low_us, int64_t *high_us);

#endif
