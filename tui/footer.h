/*
 * footer.h - the last line: the keys that do something here, or what is being typed, or a message.
 */
#ifndef ELECTOP_TUI_FOOTER_H
#define ELECTOP_TUI_FOOTER_H

#include <stdbool.h>

#include "tui/screen/cells.h"
#include "tui/screen/keys.h"

/* The word for a key here, or NULL: it does nothing here; otherwise what the table of keys says, or another.
 */
typedef const char *(*footer_word_fn)(void *context, const struct key_binding *);

/* From x on; those of first (a set of ACTION_BIT()) before the others, help and quit always. */
void footer_draw_keys(struct cells *, int x, int y, uint64_t first, footer_word_fn, void *context);

/* A line that is being typed, behind its sign, with its hint where there is room. */
void footer_draw_typed(struct cells *, int y, const char *sign, const char *text, const char *hint);

#endif
