/*
 * overview_summary.h - the lines above the overview's table: all elections in numbers, whether the next
 * failovers would work, their findings, and the order or filter of the table.
 */
#ifndef ELECTOP_TUI_VIEWS_OVERVIEW_SUMMARY_H
#define ELECTOP_TUI_VIEWS_OVERVIEW_SUMMARY_H

#include <stdbool.h>

#include "tui/views/list.h"
#include "tui/views/overview_order.h"

/* Whatever the numbers are, so that the table below stays in place. */
int overview_summary_rows(bool outlook);

/*
 * From row y on. outlook: there is a row for the next failovers, with the order or the filter at its end; or,
 * in its place, that the selected election of list is gone.
 */
void overview_summary_draw(struct cells *cells, int y, const struct overview_order *order,
                           const struct list *list, bool outlook);

#endif
