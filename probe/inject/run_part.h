/*
 * run_part.h - the results of one agent of a run, as text, and the sum of all.
 *
 *   electop run                   the marker of all persistent znodes of a run
 *   end done
 *   counts 1000 1000 1000 0 ...   in the order of enum part_count
 *   stand 900 4100 61000 12:3 13:40    a histogram: least, most, sum (microseconds), and the buckets in use, in
 *                                 order, with their counts; one line for each of enum part_time
 *
 * Results come from a znode, so they are checked like all untrusted bytes.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_PART_H
#define ELECTOP_PROBE_INJECT_RUN_PART_H

#include "probe/inject/run_report.h"

struct run;

/* malloc'd. */
char *run_part_write(const struct run_report *run_report);

enum part_count {
    PART_WANTED, /* candidates */
    PART_STANDING,
    PART_SESSIONS,
    PART_ERRORS,
    PART_REQUESTS, /* as in struct crowd_figures, and so on */
    PART_LISTS,
    PART_CREATES,
    PART_DELETES,
    PART_NOTICES,
    PART_CONNECTS,
    PART_REFUSED,
    PART_LOST,
    PART_EXPIRED,
    PART_UNPLANNED,
    PART_DEATHS,
    PART_LEFT_OUT,                              /* for each obstacle */
    PART_FAILOVERS = PART_LEFT_OUT + OBSTACLES, /* failovers with a counted cost, and their cost */
    PART_FAILOVER_NOTICES,
    PART_FAILOVER_REQUESTS,
    PART_NEVER_LED, /* for each kind of kill: those without a successor */
    PART_COUNTS = PART_NEVER_LED + KILL_COUNT
};

enum part_time {
    PART_STAND,
    PART_FAILOVER,
    PART_DETECTION,
    PART_VACANCY,
    PART_TAKEOVER,
    PART_CAUSE, /* failovers by each cause */
    PART_TIMES = PART_CAUSE + KILL_COUNT
};

/* Large: not for the stack. */
struct run_part {
    char end[24];  /* "done"; without results: "died", "running"; "unreadable" */
    bool reported; /* false: only the end is known */
    uint64_t counts[PART_COUNTS];
    struct histogram times[PART_TIMES];
};

void run_part_read(const struct agent_part *agent, struct run_part *part);

/* All agents of the run have delivered their results: adds them up, and notes which agents did not finish. */
void run_gather(struct run *run);

#endif
