/*
 * failover_table.h - failovers as lines of a screen: a table with their phases, their statistics, a drawing
 * of the phases of one, and their distribution over the day.
 *
 * Everything is drawn from column 2 of the grid on; a table beside another drawing gets a separate grid
 * (cells_part()).
 */
#ifndef ELECTOP_TUI_VIEWS_FAILOVER_TABLE_H
#define ELECTOP_TUI_VIEWS_FAILOVER_TABLE_H

#include "tui/screen/columns.h"
#include "tui/views/leadership_history.h"
#include "tui/words/names.h"

#define FAILOVER_COLUMNS 9

struct failover_table {
    struct column columns[FAILOVER_COLUMNS];
    struct names names; /* in FROM -> TO: failover_table_free() */
    int width;          /* the screen width of this layout */
};

/* Lays out the columns for these failovers, of which first .. first + count will be drawn, the latest being
 * 0. days: the times span several days. */
void failover_table_lay(struct failover_table *table, const struct cells *cells, int x,
                        const struct leadership_history *leadership, size_t first, size_t count, bool days);
void failover_table_free(struct failover_table *table);
/* A caption above the heading, with what all names share where the heading has no room for that. */
char *failover_table_caption(const struct failover_table *table, const struct cells *cells,
                             const char *caption, char *buffer, size_t size);
void failover_table_head(struct cells *cells, const struct failover_table *table, int y);
void failover_table_row(struct cells *cells, const struct failover_table *table, int y,
                        const struct failover *failover, bool days);

/* The statistics of the window's failovers, on at most rows rows; returns the rows used. */
int failover_stats_draw(struct cells *cells, int y, int rows, const struct leadership_history *leadership);
/* The rows that all of them need. */
int failover_stats_rows(struct cells *cells, const struct leadership_history *leadership);

/*
 * A rule and the phases of one failover on a common scale: the certain part of a phase is full, its possible
 * extension shaded. Draws all of it or nothing; returns the rows used.
 */
#define FAILOVER_PICTURE_ROWS 5
int failover_picture_draw(struct cells *cells, int y, int rows, const struct failover *failover,
                          struct moment now);

/* A rule, a column for each hour of the day, and their axis: at most FAILOVER_HOURS_ROWS; returns the rows
   used. */
#define FAILOVER_HOURS_ROWS 10
int failover_hours_draw(struct cells *cells, int y, int rows, const struct leadership_history *leadership);

#endif
