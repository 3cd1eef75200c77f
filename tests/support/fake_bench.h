/*
 * fake_bench.h - runs of test candidates that are only told: one that was not begun yet (and one that may not
 * in a live election), one that goes on, and one that is over.
 */
#ifndef ELECTOP_TESTS_SUPPORT_FAKE_BENCH_H
#define ELECTOP_TESTS_SUPPORT_FAKE_BENCH_H

#include "tui/views/run_control_interface.h"

extern const struct run_control_interface fake_bench_idle, fake_bench_refusing, fake_bench_running,
    fake_bench_over;

/* Whether what was last asked to begin is live, or -1; and how often something was done to a candidate. */
int fake_bench_begun(void);
int fake_bench_acts(void);

#endif
