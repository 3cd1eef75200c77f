/*
 * notices.h - messages about the connection itself: its cluster, since when it is lost, and the remedy.
 */
#ifndef ELECTOP_TUI_VIEWS_NOTICES_H
#define ELECTOP_TUI_VIEWS_NOTICES_H

#include "tui/views/view.h"

/*
 * Draws one line for each disconnected cluster, at most rows. only: the name of one cluster; NULL: all.
 * Returns the lines used.
 */
int notices_draw_connections(struct cells *cells, int x, int y, int rows, const struct scene *scene,
                             const char *only);

/* Drawn in place of a table: no election is known (yet), why, and the remedy. */
void notices_draw_empty(struct cells *cells, int x, int y, int rows, const struct scene *scene);

/* By name; NULL: none. */
const struct cluster *notices_cluster(const struct scene *scene, const char *name);

#endif
