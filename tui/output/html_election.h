/*
 * html_election.h - one election's section of the page: what happened in words, in figures, in a drawing, and
 * then every failover, leader, finding and gap by itself.
 */
#ifndef ELECTOP_TUI_OUTPUT_HTML_ELECTION_H
#define ELECTOP_TUI_OUTPUT_HTML_ELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/json/buffer.h"
#include "probe/report/report.h"

/* number: from 1, in its report. A quiet election among others is folded to a line. */
void html_election_print(struct buffer *, const struct report *, const struct report_election *,
                         size_t number);

/* Somebody led it all the time, nobody else did, and nothing worth more than a note was found. */
bool html_election_is_quiet(const struct report_election *);

/* So long without a leader is shown in red. */
#define ALARMING_US INT64_C(1000000)

/* Cells that the table of all elections has in common with the section. */
void html_put_span(struct buffer *, struct span, bool applies);

#endif
