/*
 * run_report.h - what a run comes to: its failovers counted as they come, and its figures.
 *
 * Times are microseconds of uv_hrtime(), durations say their unit.
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
 * Where a run of test candidates is, why it ended, and how long things took in it.
 */

enum run_phase {
    RUN_CONNECTING,
    RUN_LOOKING,   /* at the path */
    RUN_MAKING,    /* its directory */
    RUN_MEETING,   /* until all agents of the run are there */
    RUN_JOINING,   /* the crowd comes on */
    RUN_RUNNING,   /* all are in line */
    RUN_ENDING,    /* the crowd goes */
    RUN_GATHERING, /* the parts of all agents */
    RUN_REMOVING,
    RUN_OVER
};

/* Why it ended before its time, or what kept it from beginning. */
enum run_end {
    RUN_DONE,      /* its time was over */
    RUN_STOPPED,   /* by the user */
    RUN_REFUSED,   /* for safety, or it makes no sense: nothing was begun */
    RUN_UNREACHED, /* no server within wait_ms */
    RUN_LOST,      /* the tool's own session */
    RUN_TOO_SLOW,  /* the ensemble's ping */
    RUN_FAILED     /* something else, said in the problem */
};
const char *run_end_word(enum run_end end);       /* of the JSON: "done" */
const char *run_phase_word(enum run_phase phase); /* for people: "standing" */

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
    const char *notes;    /* what people should know, a line each; "" */
    const char *election; /* the election's full path; NULL: not known yet */
    const char *copied;   /* the path whose layout was taken, or NULL */
    const char *name;     /* the pattern */
    bool lock;
    const struct run_options *options;
    /* With --join, once the parts of all agents are there: of all together, down to what each failover cost.
       But the crowd's own moments, histograms, failovers and problem, and all that is not said so, stay this
       agent's. */
    size_t wanted;              /* candidates: that were asked for, or with those that were added */
    struct crowd_figures crowd; /* its histograms and failovers: NULL and 0 before there is one */
    struct run_times times;
    uint64_t by_how[KILL_COUNT][2]; /* failovers: those that ended, and those that did not */
    struct histogram by_cause[KILL_COUNT];
    uint64_t notices, requests, counted; /* of the failovers that were counted */
    /* This agent's alone. */
    uint64_t run_us; /* since all are in line, or since the beginning */
    int64_t wall_ms; /* when it began */
    struct histogram ping;
    uint64_t cpu_us; /* of this process, over the run */
    /* Highest: of so many looks while it went on; one that never answered knows nothing. */
    struct server_counter before[SERVER_COUNTERS_MOST], highest[SERVER_COUNTERS_MOST],
        after[SERVER_COUNTERS_MOST];
    size_t server_count, looks[SERVER_COUNTERS_MOST];
    const struct agent_part *agents; /* NULL: alone, or not at the end yet */
    size_t agent_count;
    bool agents_short; /* with --join: not all agents completed, or it is not known whether they did */
    size_t swept;      /* runs that were over, removed first */
    /* Live: how often all withdrew, and the fewest real candidates before ours while they were in line; -1:
       they never were. */
    size_t withdrawals;
    int64_t real_least;
    int64_t
        first_may_us; /* live: upper bound of the time one of ours was first; 0: none was; -1: not known */
    size_t left_to_expire; /* sessions that could not be ended in an orderly way */
    uint64_t refused;      /* writes that the guard did not let through: a defect */
    /* For the owner to set: how many deaths it has ordered one by one (crowd_kill()). */
    size_t by_hand;
    /* Another run, to be held against this one: for the owner of both to set; NULL: there is none. */
    const struct run_report *earlier;
};

/* Counts it if it was planned, and all are in line. */
void run_count_failover(struct run *run, const struct crowd_failover *failover);

/* Fills a report as of now; texts and pointers stay valid until the loop turns. Large: not for the stack. */
void run_report(const struct run *run, struct run_report *report);

/* -1: not known. Microseconds, or a number. */
int64_t run_figure(const struct run_report *report, enum expectation_figure figure, enum expectation_of of);

/*
 * The report of a run of test candidates as JSON; the README lists its keys.
 */

/* expectations: as written, and parsed; count of them. With an earlier run, that one is the subject, and this
   one is the comparison. */
void run_json_write(struct buffer *out, const struct run_report *run_report, const char *const *texts,
                    const struct expectation *expectations, size_t count);

#endif
