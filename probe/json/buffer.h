/*
 * buffer.h - a growing sequence of bytes, which a sink fills before one write(2) sends it.
 *
 * (A text of config/text.h is put together once, and taken. A buffer is emptied from the front as its reader
 * takes bytes, and reused.)
 *
 * Ownership: the buffer owns its bytes; buffer_free() releases them, buffer_clear() keeps the memory.
 */
#ifndef ELECTOP_PROBE_JSON_BUFFER_H
#define ELECTOP_PROBE_JSON_BUFFER_H

#include <stddef.h>

struct buffer {
    char *bytes; /* not NUL-terminated; NULL while empty */
    size_t length, room;
};

void buffer_put(struct buffer *buffer, const void *bytes, size_t length);
void buffer_put_char(struct buffer *buffer, char c);
void buffer_put_text(struct buffer *buffer, const char *text);
void buffer_printf(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reserves room for this many more bytes, for a caller that writes them directly. */
void buffer_reserve(struct buffer *buffer, size_t length);

/* Drops the first length bytes. */
void buffer_drop(struct buffer *buffer, size_t length);

/* Empty again. */
void buffer_clear(struct buffer *buffer);
void buffer_free(struct buffer *buffer);

#endif
