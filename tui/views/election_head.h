/*
 * election_head.h - the lines above the list of candidates: the election's state, its layout, the next
 * failover, its problems.
 */
#ifndef ELECTOP_TUI_VIEWS_ELECTION_HEAD_H
#define ELECTOP_TUI_VIEWS_ELECTION_HEAD_H

#include "tui/views/view.h"

#define ELECTION_HEAD_ROWS 5 /* that it usually has */

/* Draws from row y on, at most rows lines; returns the lines used. spare: lines more than usual that it may have
 * for what has no room in one line. */
int election_head_draw(struct cells *cells, int y, int rows, int spare, const struct scene *scene,
                       const struct election *election);

#endif
