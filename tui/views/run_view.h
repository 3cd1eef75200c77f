/*
 * run_view.h - test candidates from the dashboard: a form, the picture of the run, its report.
 */
#ifndef ELECTOP_TUI_VIEWS_RUN_VIEW_H
#define ELECTOP_TUI_VIEWS_RUN_VIEW_H

#include "tui/views/view.h"

/* path (full) and name of the election that was selected; NULL: none. A run that goes on, and the report of
   the last one, are shown before the form. */
struct view *inject_view_new(const char *path, const char *name);

#endif
