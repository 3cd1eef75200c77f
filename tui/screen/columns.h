/*
 * columns.h - table columns for any width: columns first get narrower, then the least important are dropped.
 */
#ifndef ELECTOP_TUI_SCREEN_COLUMNS_H
#define ELECTOP_TUI_SCREEN_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/screen/cells.h"

struct column {
    const char *heading;
    int least;      /* the minimum width to be shown */
    int most;       /* the maximum width, for any content */
    int importance; /* the smallest goes first; those of equal importance from the right */
    bool right;     /* numbers: heading and content end together */
    bool filler;    /* has a use for any width, which it gets when the others have what they want */
    bool optional;  /* shown only if all others have their wanted width */
    bool hidden;    /* not wanted now (a cluster's name if there is only one) */

    /* Its position, set by columns_lay(): width 0: dropped. */
    int want; /* in: the width that its content wants (0: most) */
    int x, width;
};

/*
 * Places the columns within width columns from x on, with gap columns between them. Every shown column gets
 * at least its minimum. The rest is distributed up to the wanted widths, most important first, but what one wants
 * beyond 45 columns comes after what all others want; then optional columns are added. Returns the width left
 * empty at the right.
 */
int columns_lay(struct column *columns, int count, int x, int width, int gap);

/* Notes that a content of this width wants to be shown (want only grows: columns that change their width with
 * every frame cannot be read). */
void columns_want(struct column *column, int width);

/* Its minimum: the width that its content wants, within these bounds. */
void columns_keep(struct column *column, int least, int most);

/* Writes the headings on row y. sorted: the column that the rows are sorted by, or -1; it gets an arrow,
 * which points up in reverse order. */
void columns_head(struct cells *cells, const struct column *columns, int count, int y, int sorted,
                  bool reversed);

/* Writes text into its column (nothing if it was dropped), aligned as the column requires. Returns the
 * columns used. */
int columns_put(struct cells *cells, const struct column *column, int y, style look, const char *text);

/* ---- A sentence over several lines of a screen ---- */

/* The bytes of text that make its first line: whole words, or as much of a too long word as fits. */
size_t columns_first_line(const struct cells *cells, int width, const char *text);

/* The number of lines that text needs in this many columns. */
int columns_wrap_lines(const struct cells *cells, int width, const char *text);

/* The columns of the last of these lines. */
int columns_wrap_end(const struct cells *cells, int width, const char *text);

/*
 * Writes text from x, y on, wrapped between words, in at most rows lines; longer text ends in an ellipsis.
 * Returns the lines used.
 */
int columns_wrap_put(struct cells *cells, int x, int y, int width, int rows, style look, const char *text);
/* The same to the screen's right edge and to its foot: for a sentence where a list is empty. */
int columns_wrap_printf(struct cells *cells, int x, int y, style look, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
