/*
 * timeline_svg.h - the history of leadership as a drawing in an HTML page: a row for each leader, the changes
 * of leader numbered above, vacancies and gaps across all rows.
 *
 * A drawing stays small for any number of changes: stretches too close together to be distinguished are drawn
 * as one, and its title gives their number. Colours come from the page's style (document_page.c). Everything
 * drawn has a title, which a browser shows under the mouse.
 */
#ifndef ELECTOP_TUI_OUTPUT_TIMELINE_SVG_H
#define ELECTOP_TUI_OUTPUT_TIMELINE_SVG_H

#include "probe/json/buffer.h"
#include "probe/report/report.h"

/*
 * One failover as a small bar: its phases around the time when the leader's znode went.
 *
 * To the left of that time is detection (the leader had failed, unnoticed), to the right the vacancy and the
 * takeover. A duration known within bounds is full up to the lower and pale up to the upper one; an open
 * bound extends to the edge. All bars of an election have the same scale, so they can be compared.
 */

struct phases_scale {
    int64_t before_us, after_us; /* the maximum over all failovers */
};
struct phases_scale phases_scale_of(const struct report_election *election);

/* Draws nothing if no phase is known. */
void phases_svg_print(struct buffer *out, const struct phases_scale *scale, const struct failover *failover);

/* number: of the election in its report, from 1; it makes ids unique. */
void timeline_svg_print(struct buffer *out, const struct report *report,
                        const struct report_election *election, size_t number);
/* Whether it marks changes of ZooKeeper's own leader. */
bool timeline_svg_has_epochs(const struct report *report);

/* The same without names, changes and axis, as one low line for a table of elections. */
void timeline_svg_print_line(struct buffer *out, const struct report *report,
                             const struct report_election *election);

#endif
