/*
 * trial_lines.h - the report of a run of test candidates as lines of text and as a page.
 */
#ifndef ELECTOP_TUI_INJECT_TRIAL_LINES_H
#define ELECTOP_TUI_INJECT_TRIAL_LINES_H

#include "probe/inject/trial.h"
#include "probe/sink/buffer.h"
#include "tui/print/paper.h"

/* What was expected, as it was written and read. */
struct trial_wishes {
    const char *const *texts;
    const struct expectation *read;
    size_t count;
};

/* Where there is an earlier run to hold against it, both, and side by side: before all else, or behind it
   where the end is what its reader sees (a terminal, when a command is over). What was expected was expected
   of the earlier one then. */
enum trial_reader { READS_FROM_TOP, READS_FROM_END };
void trial_text_print(struct buffer *, const struct print_style *, const struct trial_report *,
                      const struct trial_wishes *, enum trial_reader);

/* The same as one page that stands by itself. */
void trial_page_print(struct buffer *, const struct trial_report *, const struct trial_wishes *);

/* One line of what goes on, for a terminal: without a line's end. */
void trial_progress_print(struct buffer *, const struct trial_report *, bool ascii);

#endif
