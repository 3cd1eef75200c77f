/*
 * columns.h - table columns that give way: narrow first, then the least important go.
 */
#ifndef ELECTOP_TUI_SCREEN_COLUMNS_H
#define ELECTOP_TUI_SCREEN_COLUMNS_H

#include <stdbool.h>

#include "tui/screen/cells.h"

struct column {
    const char *heading;
    int least;      /* columns without which it is not worth showing */
    int most;       /* columns that it never exceeds, whatever it holds */
    int importance; /* the smallest goes first; those of equal importance from the right */
    bool right;     /* numbers: heading and content end together */
    bool optional;  /* shown only if all others have the width they want */
    bool hidden;    /* not wanted at all now (a cluster's name where there is only one) */

    /* Its position, by columns_lay(): width 0: it has gone. */
    int want; /* in: columns that its content would like (0: most) */
    int x, width;
};

/*
 * Gives each column its place within width columns from x on, with gap columns between them. Every
 * shown column has at least its least; the rest is shared out towards want, the most important
 * first; then optional ones come in; the final rest stays empty at the right, and is returned.
 */
int columns_lay(struct column *columns, int count, int x, int width, int gap);

/* Remembers that a content of this width would like to be shown (want only grows: columns that change
   their width with every frame cannot be read). */
void columns_want(struct column *column, int width);

/* Writes the headings on row y; sorted names the column that the order follows, or -1: it has an arrow, which
   points up where the order is reversed. */
void columns_head(struct cells *cells, const struct column *columns, int count, int y, int sorted,
                  bool reversed);

/* Writes text into its column (nothing where it has gone), aligned as the column says. Returns the
   columns used. */
int columns_put(struct cells *cells, const struct column *column, int y, style look, const char *text);

/* ---- A sentence over several lines of a screen ---- */

/* The lines that text takes in so many columns. */
int wrap_lines(const struct cells *cells, int width, const char *text);

/*
 * Writes text from x, y on, broken between words, in at most rows lines; what does not fit ends in an
 * ellipsis. Returns the lines used.
 */
int wrap_put(struct cells *cells, int x, int y, int width, int rows, style look, const char *text);

#endif
