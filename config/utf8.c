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

/*
 * Characters that libc calls printable and that a reader cannot see, that reorder or join their neighbours,
 * that look like another letter with them, or whose width depends on the terminal.
 */
static const struct {
    uint32_t from, to;
} deceiving[] = {
    {0x00a0, 0x00a0}, /* a blank that is no space, as are those below */
    {0x00ad, 0x00ad}, /* soft hyphen */
    {0x0300, 0x036f}, /* accents: a letter that has its own looks the same */
    {0x0483, 0x0489}, /* ... Cyrillic ones */
    {0x0600, 0x0605}, /* Arabic number signs: format characters */
    {0x061c, 0x061c}, /* Arabic letter mark */
    {0x0653, 0x0655}, /* Arabic accents */
    {0x06dd, 0x06dd},    {0x070f, 0x070f},   {0x0890, 0x0891},
    {0x08e2, 0x08e2},    {0x115f, 0x11ff}, /* vowels and ends of Hangul apart, fillers */
    {0x1680, 0x1680},                      /* Ogham space */
    {0x17b4, 0x17b5},    {0x180b, 0x180f}, /* Mongolian variation selectors and vowel separator */
    {0x1ab0, 0x1aff},    {0x1dc0, 0x1dff}, /* more accents */
    {0x2000, 0x200f}, /* spaces of any width and of none, left-to-right and right-to-left marks */
    {0x2028, 0x202f}, /* line and paragraph separators, embeddings and overrides, narrow space */
    {0x205f, 0x206f}, /* mathematical space, word joiner, isolates, deprecated format characters */
    {0x20d0, 0x20ff}, /* accents of symbols */
    {0x2800, 0x2800}, /* braille without a dot */
    {0x3000, 0x3000}, /* wide space */
    {0x3099, 0x309a}, /* Japanese accents */
    {0x3164, 0x3164}, /* Hangul filler */
    {0xd7b0, 0xd7ff}, /* more of Hangul apart */
    {0xe000, 0xf8ff}, /* private use: no agreed picture, no agreed width */
    {0xfdd0, 0xfdef}, /* not characters */
    {0xfe00, 0xfe0f}, /* variation selectors: some terminals widen the character before */
    {0xfe20, 0xfe2f}, /* halves of accents */
    {0xfeff, 0xfeff}, /* byte order mark */
    {0xffa0, 0xffa0},    {0xfff0, 0xfffb},   {0xfffe, 0xffff},
    {0x110bd, 0x110bd},  {0x110cd, 0x110cd}, {0x13430, 0x1345f}, /* hieroglyph joiners */
    {0x16fe4, 0x16fe4},                                          /* Khitan filler */
    {0x1bca0, 0x1bca3},  {0x1d159, 0x1d159},                     /* null notehead */
    {0x1d173, 0x1d17a},  {0x1f1e6, 0x1f1ff},                     /* regional indicators: two of them may or
                                                                    may not become one flag */
    {0x1f3fb, 0x1f3ff}, /* skin tones: may or may not melt into the character before */
    {0xe0000, 0xe0fff}, /* tags and more variation selectors */
    {0xf0000, 0x10ffff},
};

bool utf8_deceives(uint32_t code)
{
    if (code < 0xa0)
        return code < 0x20 || (code >= 0x7f && code <= 0x9f);
    size_t low = 0, high = sizeof deceiving / sizeof *deceiving;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (code < deceiving[middle].from)
            high = middle;
        else if (code > deceiving[middle].to)
            low = middle + 1;
        else
            return true;
    }
    return false;
}
