/*
 * timeline_svg.h - who led when, as a drawing inside an HTML page: a row for everybody who led, the changes
 * of leader numbered above, vacancies and the time in which nobody watched across all rows.
 *
 * A drawing stays small however much happened: what is too close together to be told apart is drawn as one,
 * and its title says of how many. Colours come from the page's style (page_style.h). Everything drawn has a
 * title, which a browser shows where the mouse rests.
 */
#ifndef ELECTOP_TUI_REPORT_TIMELINE_SVG_H
#define ELECTOP_TUI_REPORT_TIMELINE_SVG_H

#include "probe/sink/buffer.h"
#include "probe/report/report.h"

/* number: of the election in its report, from 1; it makes ids unique. */
void timeline_svg_print(struct buffer *, const struct report *, const struct report_election *,
                        size_t number);

/* The same without names, changes and axis, as one low line for a table of elections. */
void timeline_svg_print_line(struct buffer *, const struct report *, const struct report_election *);

#endif
