/*
 * bench.h - runs of test candidates for the dashboard, on its own loop.
 */
#ifndef ELECTOP_TUI_INJECT_BENCH_H
#define ELECTOP_TUI_INJECT_BENCH_H

#include <uv.h>

#include "config/settings.h"
#include "tui/inject/workbench.h"

struct bench;

/* own: the cluster is this program's own, so that no ceiling holds. NULL: out of memory. */
struct bench *bench_new(uv_loop_t *, const struct settings *, bool own);
const struct workbench *bench_workbench(const struct bench *);

/* Ends what still runs, in an orderly way, running the loop for it at most some seconds. NULL is fine. */
void bench_free(struct bench *);

#endif
