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

/* Two runs to compare are shown side by side: at the beginning, or at the end if the reader sees the end (a
 * terminal, after a command). The expectations are then those of the earlier one. how: of DOCUMENT_TEXT. */
enum run_reader { READS_FROM_TOP, READS_FROM_END };
void run_print(struct buffer *out, enum document_form form, const struct run_report *run_report,
               const struct run_options_text *wanted, enum run_reader reader, const struct print_style *how);

/* One line of progress, for a terminal: without a line's end. */
void run_progress_print(struct buffer *out, const struct run_report *run_report, bool ascii);

#endif
