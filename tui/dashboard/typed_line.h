/*
 * typed_line.h - a line of text that is being typed: what a key makes of it.
 */
#ifndef ELECTOP_TUI_DASHBOARD_TYPED_LINE_H
#define ELECTOP_TUI_DASHBOARD_TYPED_LINE_H

#include <stddef.h>

enum typed {
    TYPED_NOT,     /* the key is none of the line's: arrows and the mouse still move */
    TYPED_NOTHING, /* it is, and does nothing */
    TYPED_CHANGED,
    TYPED_KEPT, /* Enter */
    TYPED_ENDED /* Esc; the text is empty */
};

/* text: UTF-8, in a buffer of size. Ctrl-U empties it, as in a shell. */
enum typed typed_line_key(char *text, size_t size, int key);

#endif
