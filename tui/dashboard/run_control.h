/*
 * run_control.h - runs of test candidates for the dashboard, on its own loop.
 */
#ifndef ELECTOP_TUI_DASHBOARD_RUN_CONTROL_H
#define ELECTOP_TUI_DASHBOARD_RUN_CONTROL_H

#include <uv.h>

#include "config/settings.h"
#include "tui/views/run_control_interface.h"

struct run_control;

/* own: the cluster is this program's own, so no limits apply. NULL: the cluster's host list is invalid. */
struct run_control *run_control_new(uv_loop_t *loop, const struct settings *settings, bool own);
const struct run_control_interface *run_control_interface_of(const struct run_control *control);

/* Ends a run in progress properly, running the loop for at most some seconds. NULL is allowed. */
void run_control_free(struct run_control *control);

#endif
