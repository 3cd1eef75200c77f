/*
 * run_layout.h - reads a run's path before any write: the layout to copy, and in a live election whether test
 * candidates may join.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_LAYOUT_H
#define ELECTOP_PROBE_INJECT_RUN_LAYOUT_H

#include "probe/inject/run_report.h"

struct run;

/* problem NULL: the run may continue; else why it must not, valid during the call. */
typedef void (*run_layout_fn)(struct run *, enum run_end why, const char *problem);

/*
 * Chooses the run's path and fills in its layout; in a live election its guard, too. fn is called once, even
 * if the session ends before; perhaps at once.
 */
void run_layout(struct run *run, run_layout_fn fn);

#endif
