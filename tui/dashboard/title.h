/*
 * title.h - the first line: the view, the state of clusters and servers, and the time.
 */
#ifndef ELECTOP_TUI_DASHBOARD_TITLE_H
#define ELECTOP_TUI_DASHBOARD_TITLE_H

#include "tui/views/view.h"

/*
 * The first view's title has the program, the clusters and their servers; that of a view opened from it has
 * the view's own words, and only problems of the clusters. paused_us: for how long the display has been
 * frozen, or -1; clock_us: the wall clock, which goes on then. In replay its moment is shown instead.
 */
void title_draw(struct cells *cells, struct view *view, bool first, const struct scene *scene,
                int64_t paused_us, int64_t clock_us);

#endif
