/*
 * wrap.h - a sentence over several lines of a screen.
 */
#ifndef ELECTOP_TUI_SCREEN_WRAP_H
#define ELECTOP_TUI_SCREEN_WRAP_H

#include "tui/screen/cells.h"

/* The lines that text takes in so many columns. */
int wrap_lines(const struct cells *, int width, const char *text);

/*
 * Writes text from x, y on, broken between words, in at most rows lines; what does not fit ends in an
 * ellipsis. Returns the lines used.
 */
int wrap_put(struct cells *, int x, int y, int width, int rows, style, const char *text);

#endif
