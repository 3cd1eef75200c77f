/*
 * page_style.h - the style of a page that stands by itself: light and dark as its reader's screen is, and
 * black on white where it is printed. Nothing in it is loaded from anywhere.
 */
#ifndef ELECTOP_TUI_REPORT_PAGE_STYLE_H
#define ELECTOP_TUI_REPORT_PAGE_STYLE_H

#include "probe/sink/buffer.h"

/* Lines, up to NULL. */
extern const char *const page_style[];

/* A page up to its title's text, and from there to the end of its head.
   It forbids scripts and loads nothing. */
void page_head_begin(struct buffer *);
void page_head_end(struct buffer *);

#endif
