/*
 * timeline.h - who led when: a line for each of the latest leaders, over one axis of time.
 */
#ifndef ELECTOP_TUI_VIEWS_TIMELINE_H
#define ELECTOP_TUI_VIEWS_TIMELINE_H

#include "tui/views/view.h"

/* The rows that it would like, a rule and an axis included; at most most. window: of strip.h. */
int timeline_rows(const struct election *election, struct moment now, unsigned window, int most);

/* Draws it on rows y .. y + rows. */
void timeline_draw(struct cells *cells, int y, int rows, const struct election *election,
                   const struct scene *scene, unsigned window);

#endif
