/*
 * trial_phase.h - where a run of test candidates is, why it ended, and how long things took in it.
 */
#ifndef ELECTOP_PROBE_INJECT_TRIAL_PHASE_H
#define ELECTOP_PROBE_INJECT_TRIAL_PHASE_H

#include "probe/inject/histogram.h"

enum trial_phase {
    TRIAL_CONNECTING,
    TRIAL_LOOKING,   /* at the path */
    TRIAL_MAKING,    /* its place */
    TRIAL_MEETING,   /* until all agents of the run are there */
    TRIAL_STANDING,  /* the crowd comes on */
    TRIAL_RUNNING,   /* all stand */
    TRIAL_ENDING,    /* the crowd goes */
    TRIAL_GATHERING, /* the parts of all agents */
    TRIAL_REMOVING,
    TRIAL_OVER
};

/* Why it ended before its time, or what kept it from beginning. */
enum trial_end {
    TRIAL_DONE,      /* its time was over */
    TRIAL_STOPPED,   /* by whoever runs it */
    TRIAL_REFUSED,   /* for safety, or it makes no sense: nothing was begun */
    TRIAL_UNREACHED, /* no server within wait_ms */
    TRIAL_LOST,      /* the tool's own session */
    TRIAL_TOO_SLOW,  /* the ensemble's ping */
    TRIAL_FAILED     /* something else, said in the problem */
};
const char *trial_end_word(enum trial_end);     /* of the JSON: "done" */
const char *trial_phase_word(enum trial_phase); /* for people: "standing" */

struct trial_times {
    const struct histogram *stand, *failover;
    struct histogram detection, vacancy, takeover;
};

#endif
