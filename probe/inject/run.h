/*
 * run.h - a run of test candidates from its beginning to its end: the engine of `inject` and of the
 * dashboard's form.
 *
 *   connect -> read the path -> make the run's directory -> figures before -> the crowd -> figures after ->
 *   remove everything -> report
 *
 * Its own session reads, creates and deletes, and measures the ensemble's ping: a
 * request every so often, whose 99th percentile ends the run beyond its limit (with permission to load the
 * ensemble, ten times its limit). It stops by itself at the time limit, when that session is lost, and beyond
 * a limit; run_stop() at any moment leads to the same end, with nothing of it left in the tree.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_H
#define ELECTOP_PROBE_INJECT_RUN_H

#include <uv.h>

#include "probe/inject/run_options.h"
#include "probe/inject/run_report.h"

struct run;
struct crowd;

struct run_listener {
    void (*changed)(void *context);                                    /* its phase; may be NULL */
    void (*failed_over)(void *context, const struct crowd_failover *); /* may be NULL */
    void (*over)(void *context); /* once; then run_free() may be called, not from within */
};

/* Begins. Copies the options. NULL: no descriptor is left, or the cluster's hosts are none. */
struct run *run_new(uv_loop_t *loop, const struct run_options *options, const struct run_listener *listener,
                    void *context);

/* Ends it before its time, in an orderly way; over is called after that. */
void run_stop(struct run *run);
/* At any moment. Before it is over: its znodes stay for the next run to remove. */
void run_free(struct run *run);

/* While it is in line or runs, else NULL: to kill, pause, resume, resign single candidates, and to add some.
 */
struct crowd *run_crowd(const struct run *run);

#endif
