/*
 * failover_stats.h - durations of failovers: counts and percentiles, by cause and in all.
 *
 * A percentile is an interval, since its members are: its lower bound is that percentile of all lower bounds,
 * its upper one that of all upper ones. The true one lies between them, whatever the members really were. An
 * upper bound is SPAN_OPEN where a member's open one reaches it.
 *
 * Failovers found after a gap (gap_us > 0), and those without any known duration, are in no figure.
 */
#ifndef ELECTOP_PROBE_ELECTION_FAILOVER_STATS_H
#define ELECTOP_PROBE_ELECTION_FAILOVER_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/election/failover.h"

struct failover_figures {
    size_t count;                   /* 0: all of them are SPAN_UNKNOWN */
    struct span p50, p90, p99, max; /* the nearest rank: no value that did not occur */
};

struct failover_stats {
    struct failover_figures all, by_cause[CAUSE_COUNT];
};

/* One failover as the statistics see it. */
struct failover_sample {
    enum failover_cause cause;
    struct span length;
};

/*
 * Its total; or, in a layout without an acknowledgement, detection and vacancy (of one that may have expired,
 * and whose detection is not known, there is no upper bound). False: it is in no statistics.
 */
bool failover_sample_of(const struct failover *, struct failover_sample *);

/* False: out of memory; the figures are then empty. */
bool failover_stats_make(const struct failover_sample *, size_t count, struct failover_stats *);

/* Which of so many, from the shortest (0), a percentile is: the nearest rank. */
size_t failover_stats_rank(size_t count, unsigned percent);

/* So many changes of leader an hour; negative: too little was watched to say. */
double failover_rate(size_t changes, int64_t watched_us);

#endif
