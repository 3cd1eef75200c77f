/*
 * report_forms.h - a report as text, as Markdown and as a page.
 *
 * Text is for a terminal or a file: `electop report`.
 *
 * Times are local, as on every screen, and the first line names the zone. Tables fit the terminal's width;
 * into a pipe nothing is cut.
 */
#ifndef ELECTOP_TUI_OUTPUT_REPORT_FORMS_H
#define ELECTOP_TUI_OUTPUT_REPORT_FORMS_H

#include <stdbool.h>

#include "probe/json/buffer.h"
#include "probe/report/report.h"
#include "tui/output/line_printer.h"
#include "tui/output/report_sentences.h"
#include "tui/words/story_lines.h"

void text_report_print(struct buffer *out, const struct report *report, const struct report_note *note,
                       const struct print_style *how);

/* The sentences of a story, each above its evidence, from column x on. */
void text_report_print_story(struct printer *printer, const struct sentences *sentences, int x);

/*
 * A report as Markdown, for a ticket or a review: `electop report --markdown`.
 *
 * Foreign bytes are in code spans or escaped: no name of a znode makes a link, a heading, a picture
 * or a column. Times are UTC, and it says so.
 */

void markdown_report_print(struct buffer *out, const struct report *report, const struct report_note *note);

/*
 * A report as one self-contained page, to attach to an incident: no script, nothing
 * from elsewhere (its own policy forbids both), readable on a light and a dark screen and on paper.
 */

/* Appends the page. */
void html_report_print(struct buffer *out, const struct report *report, const struct report_note *note);

/* One leader held it all the time, and no finding above a note was raised. */
bool html_election_is_quiet(const struct report_election *election);

#endif
