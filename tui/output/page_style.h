/*
 * page_style.h - the style of a self-contained page: light and dark as its reader's screen is, and
 * black on white in print. Nothing in it is loaded from elsewhere.
 */
#ifndef ELECTOP_TUI_OUTPUT_PAGE_STYLE_H
#define ELECTOP_TUI_OUTPUT_PAGE_STYLE_H

#include "probe/json/buffer.h"

/* Lines, up to NULL. */
extern const char *const page_style[];

/* A page up to its title's text, and from there to the end of its head.
   It forbids scripts and loads nothing. */
void page_head_begin(struct buffer *);
void page_head_end(struct buffer *);

#endif
