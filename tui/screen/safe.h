/*
 * safe.h - makes untrusted bytes safe for a terminal, and measures them.
 *
 * Znode names and data, host names and configuration errors may contain control characters, escape sequences,
 * invalid UTF-8, bidirectional overrides, wide and combining characters. Unsafe ones are escaped: "\x1b",
 * "\xff", "\u202e", "\U000e0041".
 *
 * The results do not depend on the program's locale: the same bytes always take the same columns.
 */
#ifndef ELECTOP_TUI_SCREEN_SAFE_H
#define ELECTOP_TUI_SCREEN_SAFE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Decodes one displayable unit at text (length bytes left): a character with its combining marks, or one
 * escaped byte or character. Writes it (NUL-terminated UTF-8) to unit and its columns to *width; returns the
 * bytes consumed (0 only at the end). A width above 2 is an escape: that many ASCII characters. ascii: escape
 * every non-ASCII character.
 */
#define SAFE_UNIT 20
size_t safe_unit(const char *text, size_t length, bool ascii, char unit[SAFE_UNIT], int *width);

/* A whole text made safe; malloc'd. */
char *safe_text(const char *text, size_t length, bool ascii);

/* Columns that the safe form takes; INT_MAX for more than that. */
int safe_width(const char *text, size_t length, bool ascii);

/* The program's locale accepts UTF-8; if not, everything is shown as ASCII. Call setlocale() before. */
bool safe_locale_is_utf8(void);

#endif
