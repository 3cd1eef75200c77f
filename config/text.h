/*
 * text.h - a text that grows, for messages, help and printed configurations. Start from {0}.
 */
#ifndef ELECTOP_CONFIG_TEXT_H
#define ELECTOP_CONFIG_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
    char *at; /* NUL-terminated once anything was added, else NULL */
    size_t length, size;
};

void text_add(struct text *text, const char *more);
void text_add_bytes(struct text *text, const char *bytes, size_t length);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/*
 * Foreign bytes in double quotes: control bytes, invalid UTF-8 and line breaks are shown as \x1b, and an
 * ellipsis follows after about sixty bytes. For messages, which stay one line this way.
 */
void text_quote(struct text *text, const char *bytes, size_t length);

/* Gives the text to the caller, who frees it ("" if nothing was added). */
char *text_take(struct text *text) __attribute__((returns_nonnull));
void text_free(struct text *text);

/* Of two that may be NULL. */
bool text_same(const char *a, const char *b);
bool text_is_among(const char *text, char *const *texts, size_t count);
/* A copy, malloc'd; NULL for NULL. */
char *text_copy(const char *text);
/* Such a copy in place of the one that is kept, where it differs. False: it does not. */
bool text_replace(char **kept, const char *text);
/* One formatted text, malloc'd. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));
/* A quoted copy as text_quote() makes it, malloc'd. */
char *text_quoted(const char *bytes) __attribute__((returns_nonnull));
/* For qsort() and bsearch(): the order of two elements of type char *, by strcmp(). */
int text_compare(const void *a, const void *b);

/* ---- the known word that is nearest to a misspelt one ---- */

struct nearest {
    const char *best; /* NULL: nothing is near enough */
    size_t distance;
};

/*
 * Offers one candidate for word; start from {0}. Kept is the one with the fewest insertions, deletions,
 * replacements and swaps of neighbours, if they are at most a third of the word's length (at least one),
 * or if the word is a beginning of it of three letters or more.
 */
void nearest_offer(struct nearest *nearest, const char *word, const char *candidate);

#endif
