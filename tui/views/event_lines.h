/*
 * event_lines.h - events as lines of a screen: when, which election, what, who.
 */
#ifndef ELECTOP_TUI_VIEWS_EVENT_LINES_H
#define ELECTOP_TUI_VIEWS_EVENT_LINES_H

#include "tui/event_log.h"
#include "tui/views/view.h"

/* One event on row y. where: name the election too (and its cluster, where there are several). */
void event_line_draw(struct cells *, int x, int y, int width, const struct scene *, const struct event_line *,
                     bool where);

/*
 * A rule and the latest events under it, on rows y .. y + rows. cluster, path: of one election only;
 * NULL: of all.
 */
void event_pane_draw(struct cells *, int y, int rows, const struct scene *, const char *cluster,
                     const char *path);

#endif
