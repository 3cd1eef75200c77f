/*
 * cluster_lines.h - messages about the connection itself: its cluster, since when it is lost, and the remedy.
 */
#ifndef ELECTOP_TUI_VIEWS_CLUSTER_LINES_H
#define ELECTOP_TUI_VIEWS_CLUSTER_LINES_H

#include "tui/views/view.h"

/*
 * Draws one line for each disconnected cluster, at most rows. only: the name of one cluster; NULL: all.
 * Returns the lines used.
 */
int cluster_lines_draw(struct cells *cells, int x, int y, int rows, const struct scene *scene,
                       const char *only);

/* Drawn in place of a table: no election is known (yet), why, and the remedy. */
void cluster_lines_draw_empty(struct cells *cells, int x, int y, int rows, const struct scene *scene);

#endif
