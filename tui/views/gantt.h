/*
 * gantt.h - a history of leadership as a picture: a lane for each leader, over one axis of time.
 *
 * A bar begins and ends at an eighth of a cell, and is never shorter than that: a vacancy of a moment is
 * still visible in a month. In a gap, every lane is dashed.
 */
#ifndef ELECTOP_TUI_VIEWS_GANTT_H
#define ELECTOP_TUI_VIEWS_GANTT_H

#include "tui/screen/cells.h"
#include "tui/views/leadership_history.h"

struct gantt {
    int x, width; /* of the bars; their labels are left of them, from label_x on */
    int label_x;
    int kept;               /* columns at the right end of the axis that no time is written into */
    int64_t from_us, to_us; /* the window */
    int64_t fresh_us;       /* so much at its end may be too new to be recorded: blank, not dashed */
    uint32_t top;           /* the first lane shown */
    int64_t moment_us;      /* is marked through all lanes; 0: none */
    int64_t chosen_us;      /* a failover's: marked under the lanes; 0: none */
};

/* The rows of all its lanes, with one for the vacancies, where there are any; at least 1. */
size_t gantt_count(const struct leadership_history *leadership);

/* Draws the lanes from top on, on rows y .. y + rows. */
void gantt_draw(struct cells *cells, int y, int rows, const struct gantt *gantt,
                const struct leadership_history *leadership);

/* One row: where the failovers are, and the one that is chosen. */
void gantt_draw_marks(struct cells *cells, int y, const struct gantt *gantt,
                      const struct leadership_history *leadership);

/* One row: round local times. */
void gantt_draw_axis(struct cells *cells, int y, const struct gantt *gantt);

/* The time at a column; -1: it is beside the bars. */
int64_t gantt_time_at(const struct gantt *gantt, int x);

#endif
