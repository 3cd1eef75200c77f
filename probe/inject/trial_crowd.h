/*
 * trial_crowd.h - what a run asks of its crowd: from what was asked of the run, and from the layout that it
 * copies.
 */
#ifndef ELECTOP_PROBE_INJECT_TRIAL_CROWD_H
#define ELECTOP_PROBE_INJECT_TRIAL_CROWD_H

#include "probe/inject/crowd_options.h"

struct trial;

/* Texts are the trial's. Gives it a mark first, where somebody is to acknowledge late or never. */
void trial_crowd_options(struct trial *, struct crowd_options *);

#endif
