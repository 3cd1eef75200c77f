/*
 * trial_look.h - the look at a run's path, before anything is written: what there is to be copied, and in a
 * live election whether anybody of ours may stand there.
 */
#ifndef ELECTOP_PROBE_INJECT_TRIAL_LOOK_H
#define ELECTOP_PROBE_INJECT_TRIAL_LOOK_H

#include "probe/inject/trial_phase.h"

struct trial;

/* problem NULL: the run may go on; else why it must not, valid during the call. */
typedef void (*trial_looked_fn)(struct trial *, enum trial_end why, const char *problem);

/*
 * Chooses where the run stands, and fills in the trial's layout; live its guard, too. fn is called once, also
 * when the session ends before; perhaps at once.
 */
void trial_look(struct trial *, trial_looked_fn);

#endif
