/*
 * run_lines.h - the report of a run of test candidates as lines of text and as a page.
 */
#ifndef ELECTOP_TUI_OUTPUT_RUN_LINES_H
#define ELECTOP_TUI_OUTPUT_RUN_LINES_H

#include "probe/inject/run.h"
#include "probe/json/buffer.h"
#include "tui/output/line_printer.h"

/* The expectations, as written and as parsed. */
struct run_options_text {
    const char *const *texts;
    const struct expectation *read;
    size_t count;
};

/* With an earlier run to compare, both side by side: before all else, or at the end
   if the reader sees the end (a terminal, when a command is over). The expectations are then
   those of the earlier one. */
enum run_reader { READS_FROM_TOP, READS_FROM_END };
void run_text_print(struct buffer *out, const struct print_style *how, const struct run_report *run_report,
                    const struct run_options_text *wanted, enum run_reader reader);

/* The same as one self-contained page. */
void run_page_print(struct buffer *out, const struct run_report *run_report,
                    const struct run_options_text *wanted);

/* One line of progress, for a terminal: without a line's end. */
void run_progress_print(struct buffer *out, const struct run_report *run_report, bool ascii);

#endif
