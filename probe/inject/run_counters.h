/*
 * run_counters.h - the servers' own figures: before a run, while it goes on, and after it.
 *
 * While it goes on they are polled as politely as by a dashboard: at most once a second, and at least a
 * hundred times less often than the last answer took. So the report has the highest of some polls, and the
 * number of polls; figures in between are not known.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_COUNTERS_H
#define ELECTOP_PROBE_INJECT_RUN_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

struct run;

/* then: when they are known, or at once where no server may be polled. */
void run_counters_before(struct run *, void (*then)(struct run *));
/* At every tick, with uv_hrtime() as microseconds. */
void run_counters_during(struct run *, uint64_t now_us);
/* False: there is nothing to wait for (any more), and then is not called. */
bool run_counters_after(struct run *, void (*then)(struct run *));
/* No more callbacks. */
void run_counters_cancel(struct run *);

#endif
