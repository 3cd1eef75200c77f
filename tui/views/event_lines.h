/*
 * event_lines.h - events as lines of a screen: time, election, kind, candidate.
 */
#ifndef ELECTOP_TUI_VIEWS_EVENT_LINES_H
#define ELECTOP_TUI_VIEWS_EVENT_LINES_H

#include "tui/views/event_log.h"
#include "tui/views/view.h"
#include "tui/words/names.h"

/* Events that are shown together. All zero is none. */
struct event_lines {
    struct names names; /* of their elections */
    struct names clusters;
    int where; /* the columns for the election, and its cluster if there are several */
    int rest;  /* what the longest would like to have after its kind */
};

void event_lines_add(struct event_lines *lines, const struct cells *cells, const struct event_line *line);
/*
 * Shares this width out: the elections get a third of the space beside the time and the kind, up to two thirds
 * where they would look the same, and all that the lines leave free. Each is distinct from all elections that are
 * watched.
 */
void event_lines_fit(struct event_lines *lines, const struct cells *cells, int width,
                     const struct scene *scene);

void event_lines_free(struct event_lines *lines);

/* One event on row y; lines: it is one of these; NULL: without its election. */
void event_line_draw(struct cells *cells, int x, int y, int width, const struct scene *scene,
                     const struct event_line *line, const struct event_lines *lines);

/* Whether it has no room for what follows its kind; and that in full, on at most so many rows. */
bool event_line_is_cut(const struct cells *cells, int width, const struct event_line *line,
                       const struct event_lines *lines);
void event_line_whole(struct cells *cells, int x, int y, int width, int rows, const struct event_line *line);

/* The rows that the pane needs, at most so many. */
int event_pane_rows(const struct scene *scene, const char *cluster, const char *path, int most);
/*
 * A rule and the latest events under it, on rows y .. y + rows. cluster, path: of one election only;
 * NULL: of all.
 */
void event_pane_draw(struct cells *cells, int y, int rows, const struct scene *scene, const char *cluster,
                     const char *path);

#endif
