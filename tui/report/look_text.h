/*
 * look_text.h - one look at everything as text: `electop once`.
 *
 * Each cluster with its servers, a table of its elections where there are several, then each election with
 * its candidates in order: of a crowd that nobody named on the command line the first ones. Tables fit the
 * terminal's width; into a pipe nothing is cut.
 */
#ifndef ELECTOP_TUI_REPORT_LOOK_TEXT_H
#define ELECTOP_TUI_REPORT_LOOK_TEXT_H

#include "probe/election/model.h"
#include "tui/print/paper.h"

/* Appends the text. now: when the look was taken. False: out of memory. */
bool look_text_print(struct buffer *, const struct model *, struct moment now, const struct print_style *);

#endif
