/*
 * overview_summary.h - what stands above the overview's table: all elections in numbers, whether the next
 * failovers would work, what is found wrong, and what is shown of them in which order.
 */
#ifndef ELECTOP_TUI_VIEWS_OVERVIEW_SUMMARY_H
#define ELECTOP_TUI_VIEWS_OVERVIEW_SUMMARY_H

#include <stdbool.h>

#include "tui/screen/cells.h"
#include "tui/views/overview_order.h"

/*
 * From row y on; returns the rows used, which depend on nothing but outlook: so the table below stays where
 * it is, whatever the numbers are. outlook: there is a row for what the next failovers would do, with the
 * order or the filter at its end; and in its place for gone, the key (overview_key()) of what was selected
 * and left, or NULL.
 */
int overview_summary_draw(struct cells *, int y, const struct overview_order *, const char *gone,
                          bool outlook);

#endif
