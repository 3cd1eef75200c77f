/*
 * run_phase.h - where a run of test candidates is, why it ended, and how long things took in it.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_PHASE_H
#define ELECTOP_PROBE_INJECT_RUN_PHASE_H

#include "probe/inject/histogram.h"

enum run_phase {
    RUN_CONNECTING,
    RUN_LOOKING,   /* at the path */
    RUN_MAKING,    /* its place */
    RUN_MEETING,   /* until all agents of the run are there */
    RUN_STANDING,  /* the crowd comes on */
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
const char *run_end_word(enum run_end);     /* of the JSON: "done" */
const char *run_phase_word(enum run_phase); /* for people: "standing" */

struct run_times {
    const struct histogram *stand, *failover;
    struct histogram detection, vacancy, takeover;
};

#endif
