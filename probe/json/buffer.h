/*
 * buffer.h - bytes that grow: what a sink writes into before one write(2) hands them on.
 *
 * (A text of config/text.h is put together once, and taken; this is dropped from the front as its reader
 * takes it, and used again.)
 *
 * Ownership: the buffer owns its bytes; buffer_free() releases them, buffer_clear() keeps the room.
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

/* Room for so many more bytes, for who writes them itself. */
void buffer_reserve(struct buffer *buffer, size_t length);

/* Drops the first length bytes. */
void buffer_drop(struct buffer *buffer, size_t length);

/* Empty again. */
void buffer_clear(struct buffer *buffer);
void buffer_free(struct buffer *buffer);

#endif
