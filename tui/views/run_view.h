/*
 * run_view.h - test candidates from the dashboard: a form, the picture of the run, its report.
 */
#ifndef ELECTOP_TUI_VIEWS_RUN_VIEW_H
#define ELECTOP_TUI_VIEWS_RUN_VIEW_H

#include "probe/inject/run.h"
#include "tui/screen/cells.h"
#include "tui/views/list.h"
#include "tui/views/run_control_interface.h"
#include "tui/views/view.h"

/*
 * A run of test candidates that goes on: how far it is, its figures as they come, and each of
 * its candidates.
 */

/* said: what the last key came to, in place of the cost; "": nothing. The list is of the candidates. */
void run_picture_draw(struct cells *, const struct run_control_interface *, const struct run_report *,
                      struct list *, const char *said);

/* path (full) and name of the election that was selected; NULL: none. A run that goes on, and the report of
   the last one, are shown before the form. */
struct view *inject_view_new(const char *path, const char *name);

#endif
