/*
 * report_document.h - the report of a recording as a document: `electop report`, and the story of one
 * failover: `electop why`.
 *
 * Times are local in text, as on every screen, and UTC in Markdown and on the page, with the local time below
 * if it differs. The first line names the zone.
 */
#ifndef ELECTOP_TUI_OUTPUT_REPORT_DOCUMENT_H
#define ELECTOP_TUI_OUTPUT_REPORT_DOCUMENT_H

#include <stdbool.h>

#include "probe/json/buffer.h"
#include "probe/report/report.h"
#include "tui/output/document.h"
#include "tui/output/report_sentences.h"
#include "tui/words/story_lines.h"

/* how: of DOCUMENT_TEXT. */
void report_print(struct buffer *out, enum document_form form, const struct report *report,
                  const struct report_note *note, const struct print_style *how);

/* The sentences of a story, each with its evidence. */
void report_put_story(struct document *doc, const struct sentences *sentences);

/* It had one leader all the time, and no finding above a note was raised. */
bool report_election_is_quiet(const struct report_election *election);

#endif
