/*
 * columns.h - table columns that give way: narrow first, then the least important go.
 */
#ifndef ELECTOP_TUI_VIEWS_COLUMNS_H
#define ELECTOP_TUI_VIEWS_COLUMNS_H

#include <stdbool.h>

#include "tui/screen/cells.h"

struct column {
    const char *heading;
    int least;      /* columns without which it is not worth showing */
    int most;       /* columns that it never exceeds, whatever it holds */
    int importance; /* the smallest goes first; those of equal importance from the right */
    bool right;     /* numbers: heading and content end together */
    bool optional;  /* shown only where all that are not have what they want */
    bool hidden;    /* not wanted at all now (a cluster's name where there is only one) */

    /* Where it came to stand, by columns_lay(): width 0: it has gone. */
    int want; /* in: columns that its content would like (0: most) */
    int x, width;
};

/*
 * Gives each column its place within width columns from x on, with gap columns between them. Every
 * shown column has at least its least; what is left is shared out towards want, the most important
 * first; then optional ones come in; what is still left stays empty at the right, and is returned.
 */
int columns_lay(struct column *, int count, int x, int width, int gap);

/* Remembers that a content of this width would like to be shown (want only grows: columns that change
   their width with every frame cannot be read). */
void columns_want(struct column *, int width);

/* Writes the headings on row y; sorted names the column that the order follows, or -1. */
void columns_head(struct cells *, const struct column *, int count, int y, int sorted);

/* Writes text into its column (nothing where it has gone), aligned as the column says. Returns the
   columns used. */
int columns_put(struct cells *, const struct column *, int y, style, const char *text);

#endif
