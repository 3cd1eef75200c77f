/*
 * run_crowd.h - the options of a run's crowd: from the options of the run, and from the layout that it
 * copies.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_CROWD_H
#define ELECTOP_PROBE_INJECT_RUN_CROWD_H

#include "probe/inject/crowd_options.h"

struct run;

/* Texts are the trial's. Adds an acknowledgement first, where a candidate is to acknowledge late or never. */
void run_crowd_options(struct run *, struct crowd_options *);

#endif
