/*
 * html_report.h - a report as one self-contained page, to attach to an incident: no script, nothing
 * from elsewhere (its own policy forbids both), readable on a light and a dark screen and on paper.
 */
#ifndef ELECTOP_TUI_OUTPUT_HTML_REPORT_H
#define ELECTOP_TUI_OUTPUT_HTML_REPORT_H

#include "probe/json/buffer.h"
#include "probe/report/report.h"
#include "tui/output/report_sentences.h"

/* Appends the page. */
void html_report_print(struct buffer *, const struct report *, const struct report_note *);

#endif
