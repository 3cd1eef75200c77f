/*
 * failover_lines.h - failovers as lines of a screen: their phases, and their totals.
 */
#ifndef ELECTOP_TUI_VIEWS_FAILOVER_LINES_H
#define ELECTOP_TUI_VIEWS_FAILOVER_LINES_H

#include "tui/views/leadership_history.h"
#include "tui/screen/columns.h"

#define FAILOVER_COLUMNS 7

struct failover_table {
    struct column columns[FAILOVER_COLUMNS];
    int width; /* of the screen that they were laid for */
};

/* Lays the columns for these failovers, of which first .. first + count will be drawn. days: the times are of
   several days. */
void failover_table_lay(struct failover_table *, const struct cells *, int x,
                        const struct leadership_history *, size_t first, size_t count, bool days);
void failover_table_head(struct cells *, const struct failover_table *, int y);
void failover_table_row(struct cells *, const struct failover_table *, int y, const struct failover *,
                        bool days);

/* What the failovers of the window come to, on at most rows rows; returns the rows used. */
int failover_stats_draw(struct cells *, int y, int rows, const struct leadership_history *);

#endif
