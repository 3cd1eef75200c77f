/*
 * run_control.h - runs of test candidates for the dashboard, on its own loop.
 */
#ifndef ELECTOP_TUI_DASHBOARD_RUN_CONTROL_H
#define ELECTOP_TUI_DASHBOARD_RUN_CONTROL_H

#include <uv.h>

#include "config/settings.h"
#include "tui/views/run_control_interface.h"

struct run_control;

/* own: the cluster is this program's own, so that no ceiling holds. NULL: the cluster's hosts are none. */
struct run_control *run_control_new(uv_loop_t *loop, const struct settings *settings, bool own);
const struct run_control_interface *run_control_workbench(const struct run_control *bench);

/* Ends what still runs, in an orderly way, running the loop for it at most some seconds. NULL is fine. */
void run_control_free(struct run_control *bench);

#endif
