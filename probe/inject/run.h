/*
 * run.h - a run of test candidates from start to end: the engine of `inject` and of the dashboard's form.
 *
 *   connect -> read the path -> create the run's directory -> server figures -> the crowd -> server figures
 * -> remove everything -> report
 *
 * The run's own session reads, creates and deletes, and measures the ensemble's ping with regular requests.
 * If their 99th percentile exceeds the limit, the run ends (with permission to load the ensemble, at ten
 * times the limit). A run also ends at the time limit, when that session is lost, and beyond another limit.
 * run_stop() ends it at any moment. In each case nothing of the run remains in the tree.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_H
#define ELECTOP_PROBE_INJECT_RUN_H

#include <uv.h>

#include "probe/inject/run_options.h"
#include "probe/inject/run_report.h"

struct run;
struct crowd;

struct run_listener {
    void (*changed)(void *context);                                    /* its phase changed; may be NULL */
    void (*failed_over)(void *context, const struct crowd_failover *); /* may be NULL */
    void (*over)(void *context); /* once; then run_free() may be called, but not from this function */
};

/* Begins. Copies the options. NULL: no descriptor is left, or the cluster's host list is invalid. */
struct run *run_new(uv_loop_t *loop, const struct run_options *options, const struct run_listener *listener,
                    void *context);

/* Ends the run early and properly; over is called afterwards. */
void run_stop(struct run *run);
/* Allowed at any moment. If the run is not over, its znodes stay, and the next run removes them. */
void run_free(struct run *run);

/* The crowd while it joins or runs, else NULL: to kill, pause, resume or resign single candidates, and to add
 * some. */
struct crowd *run_crowd(const struct run *run);

#endif
