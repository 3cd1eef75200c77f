#include "probe/json/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"

void buffer_reserve(struct buffer *buffer, size_t length)
{
    if (length <= buffer->room - buffer->length)
        return;
    if (length > SIZE_MAX / 2 - buffer->length)
        memory_exhausted();
    size_t room = buffer->room ? buffer->room : 512;
    while (room - buffer->length < length)
        room *= 2;
    buffer->bytes = xreallocarray(buffer->bytes, room, 1);
    buffer->room = room;
}

void buffer_put(struct buffer *buffer, const void *bytes, size_t length)
{
    if (!length)
        return;
    buffer_reserve(buffer, length);
    memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
}

void buffer_put_char(struct buffer *buffer, char c)
{
    buffer_put(buffer, &c, 1);
}

void buffer_put_text(struct buffer *buffer, const char *text)
{
    buffer_put(buffer, text, strlen(text));
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) /* longer than a text can be */
        memory_exhausted();
    buffer_reserve(buffer, (size_t)length + 1);
    vsnprintf(buffer->bytes + buffer->length, (size_t)length + 1, format, again);
    buffer->length += (size_t)length;
    va_end(again);
}

void buffer_drop(struct buffer *buffer, size_t length)
{
    if (length >= buffer->length) {
        buffer->length = 0;
        return;
    }
    if (length) {
        memmove(buffer->bytes, buffer->bytes + length, buffer->length - length);
        buffer->length -= length;
    }
}

void buffer_clear(struct buffer *buffer)
{
    buffer->length = 0;
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct buffer){0};
}
