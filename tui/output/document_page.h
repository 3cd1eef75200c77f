/*
 * document_page.h - writes text into HTML and SVG, for documents and their drawings. The output is also
 * well-formed XML, so that any parser can check a page.
 *
 * Untrusted bytes are first made visible as on every screen (tui/screen/safe.h): no control character, no
 * invalid UTF-8 and no bidirectional override gets into a page. The rest is escaped for elements and for
 * attributes alike.
 */
#ifndef ELECTOP_TUI_OUTPUT_DOCUMENT_PAGE_H
#define ELECTOP_TUI_OUTPUT_DOCUMENT_PAGE_H

#include "probe/json/buffer.h"

/* Trusted or untrusted text, in an element or in a quoted attribute. NULL: nothing. */
void markup_text(struct buffer *out, const char *text);

/* A formatted text, as above. */
void markup_printf(struct buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An untrusted text in a drawing, cut to this many columns with an ellipsis. */
void markup_label(struct buffer *out, const char *text, int columns);

#endif
