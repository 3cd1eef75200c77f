/*
 * table.h - printed tables: as wide as the terminal; without one, as wide as their contents.
 */
#ifndef ELECTOP_TUI_OUTPUT_TABLE_H
#define ELECTOP_TUI_OUTPUT_TABLE_H

#include "tui/output/line_printer.h"
#include "tui/screen/columns.h"

#define TABLE_GAP 2 /* between columns */

/* What the columns want in all, with the gaps between them. */
int table_wants(const struct column *, int count);

/* The headings, which are wanted as wide as they are. */
void table_want_headings(const struct printer *, struct column *, int count);

/* Gives the columns, whose contents were wanted before, their places from x on, and prints the headings.
   printer_width(PRINTER_WIDTH) ends the table. False: out of memory. */
bool table_begin(struct printer *, struct column *, int count, int x);

#endif
