/*
 * gantt.h - the leadership history as a drawing: a lane for each leader, over one time axis.
 *
 * A bar begins and ends at an eighth of a cell, and is never shorter than that: a vacancy of a moment is
 * still visible in a month. In a gap, every lane is dashed.
 */
#ifndef ELECTOP_TUI_VIEWS_GANTT_H
#define ELECTOP_TUI_VIEWS_GANTT_H

#include "tui/screen/cells.h"
#include "tui/views/leadership_history.h"
#include "tui/words/names.h"

struct gantt {
    int x, width; /* of the bars; their labels are left of them, from label_x on */
    int label_x;
    const struct names *names; /* the leaders of the lanes that are shown */
    int kept;                  /* columns at the right end of the axis without times */
    int64_t from_us, to_us;    /* the window */
    int64_t fresh_us;          /* time at its end that may be too recent to be recorded: blank, not dashed */
    uint32_t top;              /* the first lane shown */
    int64_t moment_us;         /* marked through all lanes; 0: none */
    int64_t chosen_us;         /* a failover's: marked under the lanes; 0: none */
};

/* The rows of all its lanes, with one for the vacancies, where there are any; at least 1. */
size_t gantt_count(const struct leadership_history *leadership);

/* Draws the lanes from top on, on rows y .. y + rows. */
void gantt_draw(struct cells *cells, int y, int rows, const struct gantt *gantt,
                const struct leadership_history *leadership);

/* One row: marks the failovers, and the selected one. */
void gantt_draw_marks(struct cells *cells, int y, const struct gantt *gantt,
                      const struct leadership_history *leadership);

/* One row: local times at round values. */
void gantt_draw_axis(struct cells *cells, int y, const struct gantt *gantt);

/* The time at a column; -1: outside the bars. */
int64_t gantt_time_at(const struct gantt *gantt, int x);

#endif
