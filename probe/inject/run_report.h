/*
 * run_report.h - the results of a run: its failovers, counted as they happen, and its figures.
 *
 * Times are microseconds of uv_hrtime(); durations have their unit in the name.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_REPORT_H
#define ELECTOP_PROBE_INJECT_RUN_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/inject/agents.h"
#include "probe/inject/crowd.h"
#include "probe/inject/run_options.h"
#include "probe/inject/run_stats.h"
#include "probe/inject/server_counters.h"
#include "probe/json/buffer.h"

/*
 * The phase of a run, why it ended, and how long its parts took.
 */

enum run_phase {
    RUN_CONNECTING,
    RUN_READING,   /* reads the path */
    RUN_MAKING,    /* creates its directory */
    RUN_MEETING,   /* waits for all agents of the run */
    RUN_JOINING,   /* the crowd joins */
    RUN_RUNNING,   /* all are in position */
    RUN_ENDING,    /* the crowd ends */
    RUN_GATHERING, /* collects the results of all agents */
    RUN_REMOVING,
    RUN_OVER
};

/* Why the run ended early, or could not begin. */
enum run_end {
    RUN_DONE,      /* its time is over */
    RUN_STOPPED,   /* by the user */
    RUN_REFUSED,   /* unsafe or meaningless: nothing was begun */
    RUN_UNREACHED, /* no server within wait_ms */
    RUN_LOST,      /* the tool's own session */
    RUN_TOO_SLOW,  /* the ensemble's ping */
    RUN_FAILED     /* another reason, given in the problem */
};
const char *run_end_word(enum run_end end);       /* the word in the JSON: "done" */
const char *run_phase_word(enum run_phase phase); /* for the user: "running" */

struct run_times {
    const struct histogram *stand, *failover;
    struct histogram detection, vacancy, takeover;
};

struct run;

/* Everything known about a run, during and after. */
struct run_report {
    enum run_phase phase;
    enum run_end end;
    const char *problem;  /* NULL: none */
    const char *notes;    /* notes for the user, a line each; "" */
    const char *election; /* the election's full path; NULL: unknown yet */
    const char *copied;   /* the path whose layout was copied, or NULL */
    const char *name;     /* the pattern */
    bool lock;
    const struct run_options *options;
    /* With --join, once the results of all agents have arrived: sums over all agents, including the cost of
     * each failover. The crowd's own times, histograms, failovers and problem, and other fields unless noted,
     * remain this agent's. */
    size_t wanted;              /* candidates: requested; including those added later */
    struct crowd_figures crowd; /* its histograms and failovers: NULL and 0 before it exists */
    struct run_times times;
    uint64_t by_how[KILL_COUNT][2]; /* failovers: completed, and not completed */
    struct histogram by_cause[KILL_COUNT];
    uint64_t notices, requests, counted; /* of the counted failovers */
    /* This agent's only. */
    uint64_t run_us; /* since all are in position, or since the beginning */
    int64_t wall_ms; /* when it began */
    struct histogram ping;
    uint64_t cpu_us; /* of this process, over the run */
    /* Highest: the maximum of the polls during the run; one without an answer is unknown. */
    struct server_counter before[SERVER_COUNTERS_MOST], highest[SERVER_COUNTERS_MOST],
        after[SERVER_COUNTERS_MOST];
    size_t server_count, polls[SERVER_COUNTERS_MOST];
    const struct agent_part *agents; /* NULL: a single agent, or not at the end yet */
    size_t agent_count;
    bool agents_short; /* with --join: some agents did not complete, or this is unknown */
    size_t swept;      /* finished runs, removed first */
    /* Live: how often all withdrew, and the fewest real candidates before ours; -1: unknown, because ours
     * never had a position. */
    size_t withdrawals;
    int64_t real_least;
    int64_t first_may_us;  /* live: upper bound of the time that we were first; 0: never; -1: unknown */
    size_t left_to_expire; /* sessions that could not be ended properly */
    uint64_t refused;      /* writes that the guard refused: a defect */
    /* Set by the owner: the number of single kills it has ordered (crowd_kill()). */
    size_t by_hand;
};

/* Counts a planned failover, once all are in position. */
void run_count_failover(struct run *run, const struct crowd_failover *failover);

/* Fills a report of the present state; texts and pointers stay valid until the next turn of the loop. Large:
 * not for the stack. */
void run_report(const struct run *run, struct run_report *report);

/* -1: unknown. Microseconds, or a number. */
int64_t run_figure(const struct run_report *report, enum expectation_figure figure, enum expectation_of of);

/*
 * Writes the report of a run of test candidates as JSON; the manual lists its keys.
 */

/* expectations: as written, and parsed; count of them. */
void run_json_write(struct buffer *out, const struct run_report *run_report, const char *const *texts,
                    const struct expectation *expectations, size_t count);

#endif
