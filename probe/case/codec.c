#include "probe/case/codec.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"

void put_number(struct buffer *out, uint64_t number)
{
    buffer_reserve(out, 10);
    while (number > 0x7f) {
        out->bytes[out->length++] = (char)(number | 0x80);
        number >>= 7;
    }
    out->bytes[out->length++] = (char)number;
}

void put_signed(struct buffer *out, int64_t number)
{
    uint64_t bits = (uint64_t)number;
    put_number(out, bits << 1 ^ (number < 0 ? UINT64_MAX : 0));
}

void put_bytes(struct buffer *out, const void *bytes, size_t length)
{
    put_number(out, (uint64_t)length + 1);
    buffer_put(out, bytes, length);
}

void put_text(struct buffer *out, const char *text)
{
    if (text)
        put_bytes(out, text, strlen(text));
    else
        put_number(out, 0);
}

void put_moment(struct buffer *out, struct moment moment, int64_t base_us)
{
    put_signed(out, moment.mono_us);
    put_number(out, moment.wall_us != 0);
    /* Unsigned: a stranger's time may overflow, and is still restored unchanged. */
    if (moment.wall_us != 0)
        put_signed(out, (int64_t)((uint64_t)moment.wall_us - (uint64_t)moment.mono_us - (uint64_t)base_us));
}

uint64_t scan_number(struct scan *scan)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (scan->bad || scan->at == scan->end)
            break;
        unsigned char byte = *scan->at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return number;
    }
    scan->bad = true;
    return 0;
}

uint64_t scan_below(struct scan *scan, uint64_t limit)
{
    uint64_t number = scan_number(scan);
    if (number < limit)
        return number;
    scan->bad = true;
    return 0;
}

int64_t scan_signed(struct scan *scan)
{
    uint64_t bits = scan_number(scan);
    return (int64_t)(bits >> 1 ^ (bits & 1 ? UINT64_MAX : 0));
}

int32_t scan_int32(struct scan *scan)
{
    int64_t number = scan_signed(scan);
    if (number >= INT32_MIN && number <= INT32_MAX)
        return (int32_t)number;
    scan->bad = true;
    return 0;
}

const char *scan_piece(struct scan *scan, size_t *length)
{
    uint64_t size = scan_number(scan);
    *length = 0;
    if (scan->bad || size == 0)
        return NULL;
    if (size - 1 > (uint64_t)(scan->end - scan->at)) {
        scan->bad = true;
        return NULL;
    }
    const char *piece = (const char *)scan->at;
    *length = (size_t)(size - 1);
    scan->at += *length;
    return piece;
}

char *scan_text(struct scan *scan)
{
    size_t length;
    const char *piece = scan_piece(scan, &length);
    if (!piece)
        return NULL;
    char *text = xmalloc(length + 1);
    memcpy(text, piece, length);
    text[length] = '\0';
    return text;
}

struct moment scan_moment(struct scan *scan, int64_t base_us)
{
    struct moment moment = {.mono_us = scan_signed(scan)};
    if (scan_flag(scan))
        moment.wall_us =
            (int64_t)((uint64_t)scan_signed(scan) + (uint64_t)moment.mono_us + (uint64_t)base_us);
    return moment;
}
