/*
 * drawn.h - what stands in a grid of cells, as text. What fails fails the running cmocka test.
 */
#ifndef ELECTOP_TESTS_SUPPORT_DRAWN_H
#define ELECTOP_TESTS_SUPPORT_DRAWN_H

#include "tui/screen/cells.h"

/* Line by line; the caller frees it. */
char *drawn_text(const struct cells *);
/* Is this somewhere in it? */
bool drawn_has(const struct cells *, const char *part);

#endif
