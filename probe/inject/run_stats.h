/*
 * run_stats.h - statistics of a crowd: the state of each candidate, durations, and each failover with its
 * phases and its cost.
 *
 * Each call passes the time in microseconds; the module reads no clock and does no I/O.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_STATS_H
#define ELECTOP_PROBE_INJECT_RUN_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/candidate/behaviour.h"
#include "probe/candidate/candidate.h"

/*
 * A histogram of durations, in buckets of at most 1.6 % of their value, so that percentiles need no memory
 * per sample.
 *
 * Durations are microseconds; those above 2^40 (12 days) count as 2^40. A zeroed histogram is empty.
 */

#define HISTOGRAM_FINE_BITS 6 /* values below 2^6 are exact; above, as many steps per doubling */
#define HISTOGRAM_BUCKETS ((40 - HISTOGRAM_FINE_BITS + 1) << HISTOGRAM_FINE_BITS)

struct histogram {
    uint64_t count;
    int64_t least_us, most_us; /* exact */
    int64_t sum_us;
    uint32_t buckets[HISTOGRAM_BUCKETS];
};

/* Negative durations count as 0. */
void histogram_add(struct histogram *histogram, int64_t us);
/* Adds another histogram, for example of another agent of the run. */
void histogram_merge(struct histogram *histogram, const struct histogram *other);

/*
 * The duration that this fraction (0.5, 0.99) of all samples do not exceed: the upper end of its bucket,
 * never above the longest. 0 without samples.
 */
int64_t histogram_percentile(const struct histogram *histogram, double fraction);

/* The i-th bucket covers low to high, both inclusive; for drawing. */
void histogram_bucket(size_t i, int64_t *low_us, int64_t *high_us);

#define RUN_STATS_NOBODY SIZE_MAX

/*
 * One change of leader in the crowd. Times are 0 for phases that were not reached. Phases: detection from
 * due_us to told_us (a close or a resignation notifies at once), takeover from first_us to led_us; in between
 * there was no candidate.
 */
struct crowd_failover {
    int64_t from, to; /* sequence numbers; to SEQUENCE_NONE: no successor yet */
    enum kill_mode how;
    bool planned; /* false: not killed by the schedule (its session expired, another client deleted its znode)
                   */
    uint64_t due_us;      /* when the kill was due; unplanned: when it was noticed */
    uint64_t dead_us;     /* when the kill was done */
    uint64_t reported_us; /* the first notification of it to any test candidate */
    uint64_t first_us;    /* the next candidate knew that it is first */
    uint64_t led_us;      /* and acknowledged, if it acknowledges */
    /* Its cost, from the kill until no request was under way; incomplete: a lower bound. */
    uint64_t notices, requests;
    bool broken_off; /* the crowd ended before it was over */
};

struct run_stats {
    struct histogram to_stand, to_fail_over; /* planned ones only; the beginning of others is unknown */
    size_t by_state[CANDIDATE_STATES];
    struct candidate_stats {
        uint64_t due_us;   /* 0: it has had a position before */
        uint64_t first_us; /* never_leads: since when it has been first; 0: it is not first */
        uint8_t state;
    } * all;
    size_t count, room;
    size_t yet_to_stand; /* candidates still without a first position */

    struct crowd_failover *failovers;
    size_t failover_count, failover_room;
    bool open;         /* the last one is under way */
    size_t leader;     /* the leader, by its own knowledge; or RUN_STATS_NOBODY */
    int64_t number;    /* of the last leader, or SEQUENCE_NONE */
    bool acknowledged; /* it has acknowledged */
    uint64_t lost_us;  /* when it ceased to lead */

    uint64_t requests, lists, creates, deletes, notices, errors;
    uint64_t under_way;                     /* unanswered requests */
    uint64_t death_notices, death_requests; /* the counts at the last kill */
    uint64_t first_most_us, survived, unplanned;
};

void run_stats_init(struct run_stats *run_stats);
void run_stats_free(struct run_stats *run_stats);

/* Adds a candidate, due since then. */
void run_stats_enter(struct run_stats *run_stats, uint64_t due_us);
/* Removes the last one, which could not join. */
void run_stats_leave(struct run_stats *run_stats);
void run_stats_changed(struct run_stats *run_stats, size_t i, const struct candidacy *candidacy,
                       uint64_t now_us);
/* It has read the list and does not lead. */
void run_stats_positioned(struct run_stats *run_stats, size_t i, bool first, uint64_t now_us);
void run_stats_asked(struct run_stats *run_stats, enum candidate_ask what);
void run_stats_answered(struct run_stats *run_stats);
void run_stats_noticed(struct run_stats *run_stats, int64_t number, uint64_t now_us);

/* The leader is about to be killed, due at due_us. Call this before the kill. */
void run_stats_death(struct run_stats *run_stats, enum kill_mode how, uint64_t due_us, uint64_t now_us);
/* The kill had no effect: the leader was back before anyone noticed. */
void run_stats_survived(struct run_stats *run_stats);
/* A failover is under way that already has a leader. */
bool run_stats_has_led(const struct run_stats *run_stats);
/* Ends the failover under way if it is complete, or anyway. Returns true once. */
bool run_stats_settle(struct run_stats *run_stats, bool anyway);

#endif
