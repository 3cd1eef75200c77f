/*
 * overview_summary.h - what stands above the overview's table: all elections in numbers, whether the next
 * failovers would work, and what is shown of them in which order.
 */
#ifndef ELECTOP_TUI_VIEWS_OVERVIEW_SUMMARY_H
#define ELECTOP_TUI_VIEWS_OVERVIEW_SUMMARY_H

#include <stdbool.h>

#include "tui/screen/cells.h"
#include "tui/views/overview_order.h"

/* From row y on; returns the rows used. *end: the column behind the last of them. */
int overview_summary_draw(struct cells *, int y, const struct overview_totals *, int *end);

/* Somebody leads and has a next one. */
bool overview_outlook_known(const struct overview_totals *);
/* Whether the next failovers would work, as far as anybody can know; what does not fit before column end is
   left out. */
void overview_outlook_draw(struct cells *, int y, int end, const struct overview_totals *);

/*
 * The order or the filter, at the end of row summary_y where that has room behind column summary_end, else at
 * the end of row y; and in row y what left while it was selected: its key (overview_key()), or NULL. Returns
 * the column where row y is taken from.
 */
int overview_note_draw(struct cells *, int y, const struct overview_order *, const char *gone, int summary_y,
                       int summary_end);

#endif
