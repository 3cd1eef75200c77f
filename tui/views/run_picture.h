/*
 * run_picture.h - a run of test candidates that goes on: how far it is, its figures as they come, and each of
 * its candidates.
 */
#ifndef ELECTOP_TUI_VIEWS_RUN_PICTURE_H
#define ELECTOP_TUI_VIEWS_RUN_PICTURE_H

#include "probe/inject/run.h"
#include "tui/views/run_control_interface.h"
#include "tui/screen/cells.h"
#include "tui/views/list.h"

/* said: what the last key came to, in place of the cost; "": nothing. The list is of the candidates. */
void run_picture_draw(struct cells *, const struct run_control_interface *, const struct run_report *,
                      struct list *, const char *said);

#endif
