/*
 * footer.h - the last line: the keys that do something here, or what is being typed, or a message.
 */
#ifndef ELECTOP_TUI_FOOTER_H
#define ELECTOP_TUI_FOOTER_H

#include "tui/offers.h"
#include "tui/screen/cells.h"

/* From x on: the keys that do something here, help and quit always. */
void footer_draw_keys(struct cells *, int x, int y, const struct offers *);

/* A line that is being typed, behind its sign, with its hint where there is room. */
void footer_draw_typed(struct cells *, int y, const char *sign, const char *text, const char *hint);

#endif
