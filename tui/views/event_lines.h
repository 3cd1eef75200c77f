/*
 * event_lines.h - events as lines of a screen: time, election, kind, candidate.
 */
#ifndef ELECTOP_TUI_VIEWS_EVENT_LINES_H
#define ELECTOP_TUI_VIEWS_EVENT_LINES_H

#include "tui/views/event_log.h"
#include "tui/views/view.h"
#include "tui/words/names.h"

/*
 * The width of the column for an event's election (and its cluster, if there are several) in lines of this width:
 * that of the longest name, but at most a third of the space beside the time and the kind.
 */
int event_where_width(const struct cells *cells, int width, const struct scene *scene);

/* Shortens the names of the lines that are drawn to their part of where columns: each is distinct from all
 * elections that are watched. */
void event_names_fit(struct names *names, const struct cells *cells, int where, const struct scene *scene);

/* One event on row y. where: event_where_width(), which the elections' names are fitted to; 0: without its
 * election. */
void event_line_draw(struct cells *cells, int x, int y, int width, const struct scene *scene,
                     const struct event_line *line, int where, const struct names *names);

/*
 * A rule and the latest events under it, on rows y .. y + rows. cluster, path: of one election only;
 * NULL: of all.
 */
void event_pane_draw(struct cells *cells, int y, int rows, const struct scene *scene, const char *cluster,
                     const char *path);

#endif
