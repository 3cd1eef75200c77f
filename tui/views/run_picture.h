/*
 * run_picture.h - a run in progress: its progress, its figures, and its candidates, which form a list.
 */
#ifndef ELECTOP_TUI_VIEWS_RUN_PICTURE_H
#define ELECTOP_TUI_VIEWS_RUN_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/screen/key_bindings.h"
#include "tui/views/list.h"

struct run_control_interface;
struct run_report;

/* said: the result of the last key, in place of the cost; "": none. */
void run_picture_draw(struct cells *cells, const struct run_control_interface *control,
                      const struct run_report *report, struct list *list, const char *said);

/* The number of the selected candidate. */
size_t run_picture_chosen(const struct run_control_interface *control, struct list *list);

/* Moves in the list of candidates; false: it was no such action. */
bool run_picture_move(const struct run_control_interface *control, struct list *list, enum action action);

#endif
