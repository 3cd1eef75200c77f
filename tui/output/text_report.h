/*
 * text_report.h - a report as text for a terminal or a file: `electop report`.
 *
 * Times are local, as on every screen, and the first line names the zone. Tables fit the terminal's width;
 * into a pipe nothing is cut.
 */
#ifndef ELECTOP_TUI_OUTPUT_TEXT_REPORT_H
#define ELECTOP_TUI_OUTPUT_TEXT_REPORT_H

#include "probe/report/report.h"
#include "tui/output/line_printer.h"
#include "tui/output/report_sentences.h"

/* False: out of memory. */
bool text_report_print(struct buffer *, const struct report *, const struct report_note *,
                       const struct print_style *);

#endif
