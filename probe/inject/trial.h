/*
 * trial.h - a run of test candidates from its beginning to its end: what `inject` and the dashboard's form
 * do.
 *
 *   connect -> look at the path -> make the run's place -> figures before -> the crowd -> figures after ->
 *   remove everything -> report
 *
 * It has a session of its own, by which it looks, makes and removes, and by which it feels the ensemble's
 * pulse: a request every so often, whose 99th percentile ends the run where it passes its limit (with leave
 * to load the ensemble, ten times its limit). It stops by
 * itself at the time limit, when that session is lost, and when a limit is passed; trial_stop() at any moment
 * leads to the same end, with nothing of it left in the tree.
 */
#ifndef ELECTOP_PROBE_INJECT_TRIAL_H
#define ELECTOP_PROBE_INJECT_TRIAL_H

#include <uv.h>

#include "probe/inject/trial_options.h"
#include "probe/inject/trial_report.h"

struct trial;
struct crowd;

/* Begins. Texts in the options must outlive it. NULL: out of memory. */
struct trial *trial_new(uv_loop_t *, const struct trial_options *, const struct trial_listener *,
                        void *context);

/* Ends it before its time, in an orderly way; over is called after that. */
void trial_stop(struct trial *);
/* At any moment. Before it is over: what stands in the tree stays for the next run to remove. */
void trial_free(struct trial *);

/* While it stands or runs, else NULL: to kill, pause, resume, resign single candidates, and to add some. */
struct crowd *trial_crowd(const struct trial *);

#endif
