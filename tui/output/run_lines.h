/*
 * run_lines.h - the report of a run of test candidates as a document, and its progress as a line.
 */
#ifndef ELECTOP_TUI_OUTPUT_RUN_LINES_H
#define ELECTOP_TUI_OUTPUT_RUN_LINES_H

#include "probe/inject/run.h"
#include "probe/json/buffer.h"
#include "tui/output/document.h"

/* The expectations, as written and as parsed. */
struct run_options_text {
    const char *const *texts;
    const struct expectation *read;
    size_t count;
};

/* how: of DOCUMENT_TEXT. */
void run_print(struct buffer *out, enum document_form form, const struct run_report *run_report,
               const struct run_options_text *wanted, const struct print_style *how);

/* One line of progress, for a terminal: without a line's end. */
void run_progress_print(struct buffer *out, const struct run_report *run_report, bool ascii);

#endif
