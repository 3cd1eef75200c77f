/*
 * event_line.h - one event as one line of text: when, where, what, who.
 *
 *   14:01:02.522  druid/coordinator     leader elected   host-a:8081 -> host-b:8081   after 412ms
 */
#ifndef ELECTOP_TUI_OUTPUT_EVENT_LINE_H
#define ELECTOP_TUI_OUTPUT_EVENT_LINE_H

#include "probe/election/event.h"
#include "tui/output/line_printer.h"

struct model;

/* The columns for the elections' names, so that lines align: the longest,
   20 to 40. */
int event_line_where(const struct model *, bool ascii);

/* with_cluster: there are several, so the line names its cluster too. */
void event_line_print(struct printer *, const struct event *, bool with_cluster, int where_width);

/* A notice for a reader that was too slow. */
void event_line_print_dropped(struct printer *, struct moment at, uint64_t dropped, int where_width);

#endif
