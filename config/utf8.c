#include "config/utf8.h"

size_t utf8_decode(const char *bytes, size_t length, uint32_t *code)
{
    if (!length)
        return 0;
    unsigned char first = (unsigned char)bytes[0];
    if (first < 0x80) {
        *code = first;
        return 1;
    }
    size_t needed;
    uint32_t value, smallest;
    if (first >= 0xc2 && first <= 0xdf) {
        needed = 2;
        value = first & 0x1fu;
        smallest = 0x80;
    } else if ((first & 0xf0) == 0xe0) {
        needed = 3;
        value = first & 0x0fu;
        smallest = 0x800;
    } else if (first >= 0xf0 && first <= 0xf4) {
        needed = 4;
        value = first & 0x07u;
        smallest = 0x10000;
    } else {
        return 0;
    }
    if (length < needed)
        return 0;
    for (size_t i = 1; i < needed; i++) {
        unsigned char next = (unsigned char)bytes[i];
        if ((next & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (next & 0x3fu);
    }
    if (value < smallest || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *code = value;
    return needed;
}

size_t utf8_valid_length(const char *bytes, size_t length)
{
    size_t at = 0;
    while (at < length) {
        uint32_t code;
        size_t eaten = utf8_decode(bytes + at, length - at, &code);
        if (!eaten)
            break;
        at += eaten;
    }
    return at;
}

void utf8_locate(const char *bytes, size_t offset, size_t *line, size_t *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset; i++) {
        if (bytes[i] == '\n') {
            (*line)++;
            *column = 1;
        } else if (((unsigned char)bytes[i] & 0xc0) != 0x80) {
            (*column)++;
        }
    }
}

size_t utf8_encode(uint32_t character, char bytes[4])
{
    if (character < 0x80) {
        bytes[0] = (char)character;
        return 1;
    }
    if (character < 0x800) {
        bytes[0] = (char)(0xc0 | character >> 6);
        bytes[1] = (char)(0x80 | (character & 0x3f));
        return 2;
    }
    if (character >= 0xd800 && character <= 0xdfff)
        return 0;
    if (character < 0x10000) {
        bytes[0] = (char)(0xe0 | character >> 12);
        bytes[1] = (char)(0x80 | (character >> 6 & 0x3f));
        bytes[2] = (char)(0x80 | (character & 0x3f));
        return 3;
    }
    if (character > 0x10ffff)
        return 0;
    bytes[0] = (char)(0xf0 | character >> 18);
    bytes[1] = (char)(0x80 | (character >> 12 & 0x3f));
    bytes[2] = (char)(0x80 | (character >> 6 & 0x3f));
    bytes[3] = (char)(0x80 | (character & 0x3f));
    return 4;
}

bool utf8_deceives(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x061c || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
           code == 0xfeff;
}
