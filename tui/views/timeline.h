/*
 * timeline.h - who led when: a line for each of the latest leaders, over one axis of time.
 */
#ifndef ELECTOP_TUI_VIEWS_TIMELINE_H
#define ELECTOP_TUI_VIEWS_TIMELINE_H

#include "probe/election/election.h"
#include "tui/screen/cells.h"

struct scene;

/* The rows that it would like, a rule and an axis included; at most most. */
int timeline_rows(const struct election *, struct moment now, unsigned window, int most);

/* Draws it on rows y .. y + rows. window: of strip.h. */
void timeline_draw(struct cells *, int y, int rows, const struct election *, const struct scene *,
                   unsigned window);

#endif
