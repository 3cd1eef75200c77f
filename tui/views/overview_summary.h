/*
 * overview_summary.h - the lines above the overview's table: all elections in numbers, whether the next
 * failovers would work, their findings, and the order or filter of the table.
 */
#ifndef ELECTOP_TUI_VIEWS_OVERVIEW_SUMMARY_H
#define ELECTOP_TUI_VIEWS_OVERVIEW_SUMMARY_H

#include <stdbool.h>

#include "tui/screen/cells.h"
#include "tui/views/overview_order.h"

/*
 * From row y on; returns the rows used, which depend on nothing but outlook: so the table below stays in
 * place, whatever the numbers are. outlook: there is a row for the next failovers, with the
 * order or the filter at its end; or, in its place, gone: the key (overview_key()) of a selected election
 * that left, or NULL.
 */
int overview_summary_draw(struct cells *, int y, const struct overview_order *, const char *gone,
                          bool outlook);

#endif
