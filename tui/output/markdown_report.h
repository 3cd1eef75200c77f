/*
 * markdown_report.h - a report as Markdown, for a ticket or a review: `electop report --markdown`.
 *
 * Foreign bytes are in code spans or escaped: no name of a znode makes a link, a heading, a picture
 * or a column. Times are UTC, and it says so.
 */
#ifndef ELECTOP_TUI_OUTPUT_MARKDOWN_REPORT_H
#define ELECTOP_TUI_OUTPUT_MARKDOWN_REPORT_H

#include "probe/json/buffer.h"
#include "probe/report/report.h"
#include "tui/output/report_sentences.h"

void markdown_report_print(struct buffer *, const struct report *, const struct report_note *);

#endif
