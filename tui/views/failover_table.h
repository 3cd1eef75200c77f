/*
 * failover_table.h - failovers as lines of a screen: a table with their phases, what they come to, the phases
 * of one as a picture, and when in the day they happened.
 *
 * All of them draw from column 2 of the grid on; a table that is beside something else gets a grid of its own
 * (cells_part()).
 */
#ifndef ELECTOP_TUI_VIEWS_FAILOVER_TABLE_H
#define ELECTOP_TUI_VIEWS_FAILOVER_TABLE_H

#include "tui/screen/columns.h"
#include "tui/views/leadership_history.h"

#define FAILOVER_COLUMNS 7

struct failover_table {
    struct column columns[FAILOVER_COLUMNS];
    int width; /* of the screen that they were laid for */
};

/* Lays the columns for these failovers, of which first .. first + count will be drawn, the latest being 0.
   days: the times are of several days. */
void failover_table_lay(struct failover_table *table, const struct cells *cells, int x,
                        const struct leadership_history *leadership, size_t first, size_t count, bool days);
void failover_table_head(struct cells *cells, const struct failover_table *table, int y);
void failover_table_row(struct cells *cells, const struct failover_table *table, int y,
                        const struct failover *failover, bool days);

/* What the failovers of the window come to, on at most rows rows; returns the rows used. */
int failover_stats_draw(struct cells *cells, int y, int rows, const struct leadership_history *leadership);

/*
 * A rule and the phases of one failover on a common scale: what is certain of a phase is full, what it may
 * have lasted beyond that is shaded. Draws all of it or nothing; returns the rows used.
 */
#define FAILOVER_PICTURE_ROWS 5
int failover_picture_draw(struct cells *cells, int y, int rows, const struct failover *failover,
                          struct moment now);

/* A rule, a column for each hour of the day, and their axis: at most FAILOVER_HOURS_ROWS; returns the rows
   used. */
#define FAILOVER_HOURS_ROWS 10
int failover_hours_draw(struct cells *cells, int y, int rows, const struct leadership_history *leadership);

#endif
