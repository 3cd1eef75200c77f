/*
 * page_style.h - the style of a self-contained page: light and dark as its reader's screen is, and
 * black on white in print. Nothing in it is loaded from elsewhere.
 */
#ifndef ELECTOP_TUI_OUTPUT_PAGE_STYLE_H
#define ELECTOP_TUI_OUTPUT_PAGE_STYLE_H

#include "probe/json/buffer.h"

/*
 * Text put into HTML and SVG. The output is well-formed XML too, so that a page can be checked
 * by any parser.
 *
 * Foreign bytes are first made visible as on every screen (tui/screen/safe.h): no control character, no
 * invalid UTF-8 and no bidirectional override gets into a page. The rest is escaped for elements and
 * for attributes alike.
 */

/* Text of our own or of strangers, in an element or in a quoted attribute. NULL: nothing. */
void markup_text(struct buffer *out, const char *text);

/* A formatted text, as above. */
void markup_printf(struct buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A foreign text in a separate HTML element, whose writing direction stays inside. */
void markup_name(struct buffer *out, const char *name);

/* The same for a drawing, cut to so many columns with an ellipsis. */
void markup_label(struct buffer *out, const char *text, int columns);

/* Lines, up to NULL. */
extern const char *const page_style[];

/* A page up to its title's text, and from there to the beginning of its body, with the pattern of the
   drawings. It forbids scripts and loads nothing. */
void page_head_begin(struct buffer *out);
void page_head_end(struct buffer *out);

#endif
