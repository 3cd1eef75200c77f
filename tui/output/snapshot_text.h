/*
 * snapshot_text.h - one complete snapshot as text: `electop once`.
 *
 * Each cluster with its servers, a table of its elections if there are several, then each election with its
 * candidates in order. Of a crowd that was not named on the command line only the first ones are shown.
 * Tables fit the terminal's width; in a pipe nothing is cut.
 */
#ifndef ELECTOP_TUI_OUTPUT_SNAPSHOT_TEXT_H
#define ELECTOP_TUI_OUTPUT_SNAPSHOT_TEXT_H

#include "probe/election/model.h"
#include "tui/output/line_printer.h"

/* Appends the text. now: when the snapshot was taken. */
void snapshot_text_print(struct buffer *out, const struct model *model, struct moment now,
                         const struct print_style *how);

#endif
