/*
 * title.h - the first line: what is looked at, how the clusters and their servers are, and the time.
 */
#ifndef ELECTOP_TUI_TITLE_H
#define ELECTOP_TUI_TITLE_H

#include "tui/views/view.h"

/*
 * The first view's title has the program, the clusters and their servers; that of a view opened from it has
 * the view's own words, and only trouble of the clusters. paused_us: for how long the picture has stood
 * still, or -1; clock_us: the wall clock, which goes on then. Of the past its moment is shown instead.
 */
void title_draw(struct cells *, struct view *, bool first, const struct scene *, int64_t paused_us,
                int64_t clock_us);

#endif
