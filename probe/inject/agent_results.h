/*
 * agent_results.h - the results of one agent of a run, as text, and the sum of all.
 *
 *   electop run                   the marker of all persistent znodes of a run
 *   end done
 *   counts 1000 1000 1000 0 ...   in the order of enum result_count
 *   stand 900 4100 61000 12:3 13:40    a histogram: least, most, sum (microseconds), and the buckets in use, in
 *                                 order, with their counts; one line for each of enum result_time
 *
 * Results come from a znode, so they are checked like all untrusted bytes.
 */
#ifndef ELECTOP_PROBE_INJECT_AGENT_RESULTS_H
#define ELECTOP_PROBE_INJECT_AGENT_RESULTS_H

#include "probe/inject/run_report.h"

struct run;

/* malloc'd. */
char *agent_results_write(const struct run_report *run_report);

enum result_count {
    RESULT_WANTED, /* candidates */
    RESULT_STANDING,
    RESULT_SESSIONS,
    RESULT_ERRORS,
    RESULT_REQUESTS, /* as in struct crowd_figures, and so on */
    RESULT_LISTS,
    RESULT_CREATES,
    RESULT_DELETES,
    RESULT_WATCH_EVENTS,
    RESULT_CONNECTS,
    RESULT_REFUSED,
    RESULT_LOST,
    RESULT_EXPIRED,
    RESULT_UNPLANNED,
    RESULT_DEATHS,
    RESULT_LEFT_OUT, /* for each obstacle */
    RESULT_FAILOVERS =
        RESULT_LEFT_OUT + OBSTACLES, /* whose cost was measured; then: watch events, requests */
    RESULT_FAILOVER_WATCH_EVENTS,
    RESULT_FAILOVER_REQUESTS,
    RESULT_NEVER_LED, /* for each kind of kill: kills after which no successor led */
    RESULT_COUNTS = RESULT_NEVER_LED + KILL_COUNT
};

enum result_time {
    RESULT_STAND,
    RESULT_FAILOVER,
    RESULT_DETECTION,
    RESULT_VACANCY,
    RESULT_TAKEOVER,
    RESULT_CAUSE, /* failovers by each cause */
    RESULT_TIMES = RESULT_CAUSE + KILL_COUNT
};

/* Large: not for the stack. */
struct agent_results {
    char end[24];  /* "done", "died", "running" or "unreadable"; only "done" has results */
    bool reported; /* false: only the end is known */
    uint64_t counts[RESULT_COUNTS];
    struct histogram times[RESULT_TIMES];
};

void agent_results_read(const struct agent_part *agent, struct agent_results *part);

/* To be called when all agents have delivered their results: adds them up, and notes the agents that did not
 * finish. */
void run_gather(struct run *run);

#endif
