/*
 * table.h - tables on paper: as wide as the terminal; where there is none, as wide as what they hold.
 */
#ifndef ELECTOP_TUI_REPORT_TABLE_H
#define ELECTOP_TUI_REPORT_TABLE_H

#include "tui/print/paper.h"
#include "tui/views/columns.h"

#define TABLE_GAP 2 /* between columns */

/* What the columns want in all, with the gaps between them. */
int table_wants(const struct column *, int count);

/* The headings, which are wanted as wide as they are. */
void table_want_headings(const struct paper *, struct column *, int count);

/* Gives the columns, whose contents were wanted before, their places from x on, and prints the headings.
   paper_width(PAPER_WIDTH) ends the table. False: out of memory. */
bool table_begin(struct paper *, struct column *, int count, int x);

#endif
