#include "tui/screen/safe.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

#include "config/utf8.h"

/* As many as a curses cell holds; no language needs more, and further ones are shown as escapes. */
#define MARKS_MOST 4

bool safe_locale_is_utf8(void)
{
    const char *codeset = nl_langinfo(CODESET);
    return strcasecmp(codeset, "UTF-8") == 0 || strcasecmp(codeset, "UTF8") == 0;
}

/*
 * Characters that libc calls printable and that a reader cannot see, that reorder or join their neighbours,
 * or whose width depends on the terminal. All of them are shown as escapes.
 */
static const struct {
    uint32_t from, to;
} treacherous[] = {
    {0x00ad, 0x00ad}, /* soft hyphen */
    {0x034f, 0x034f}, /* combining grapheme joiner */
    {0x0600, 0x0605}, /* Arabic number signs: format characters */
    {0x061c, 0x061c}, /* Arabic letter mark */
    {0x06dd, 0x06dd},    {0x070f, 0x070f},   {0x0890, 0x0891},   {0x08e2, 0x08e2},
    {0x115f, 0x1160},                      /* Hangul fillers */
    {0x17b4, 0x17b5},    {0x180b, 0x180f}, /* Mongolian variation selectors and vowel separator */
    {0x200b, 0x200f},                      /* zero width, left-to-right and right-to-left marks */
    {0x2028, 0x202e},                      /* line and paragraph separators, embeddings and overrides */
    {0x2060, 0x206f},                      /* word joiner, isolates, deprecated format characters */
    {0x3164, 0x3164},                      /* Hangul filler */
    {0xe000, 0xf8ff},                      /* private use: no agreed picture, no agreed width */
    {0xfdd0, 0xfdef},                      /* not characters */
    {0xfe00, 0xfe0f}, /* variation selectors: some terminals widen the character before */
    {0xfeff, 0xfeff}, /* byte order mark */
    {0xffa0, 0xffa0},    {0xfff0, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd},
    {0x13430, 0x1345f},                                          /* hieroglyph joiners */
    {0x1bca0, 0x1bca3},  {0x1d173, 0x1d17a}, {0x1f1e6, 0x1f1ff}, /* regional indicators: two of them may or
                                                                    may not become one flag */
    {0x1f3fb, 0x1f3ff}, /* skin tones: may or may not melt into the character before */
    {0xe0000, 0xe0fff}, /* tags and more variation selectors */
    {0xf0000, 0x10ffff},
};

static bool is_treacherous(uint32_t character)
{
    size_t low = 0, high = sizeof(treacherous) / sizeof(*treacherous);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (character < treacherous[middle].from)
            high = middle;
        else if (character > treacherous[middle].to)
            low = middle + 1;
        else
            return true;
    }
    return false;
}

/*
 * Columns of one character: 0 combining, 1, 2, or -1: must not be shown unescaped. libc's table is used,
 * and not a private one, since curses uses the same one when it moves the cursor; but always under a separate
 * UTF-8 locale, so that LANG=C changes nothing.
 */
static int character_width(uint32_t character)
{
    if (character < 0x80)
        return character >= 0x20 && character != 0x7f ? 1 : -1;
    if (character < 0xa0 || is_treacherous(character))
        return -1;
    static locale_t utf8;
    if (utf8 == (locale_t)0) {
        utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
        if (utf8 == (locale_t)0)
            return -1;
    }
    locale_t before = uselocale(utf8);
    int width = wcwidth((wchar_t)character);
    uselocale(before);
    return width > 2 ? -1 : width;
}

static int escape_character(uint32_t character, char unit[SAFE_UNIT])
{
    if (character < 0x80)
        return snprintf(unit, SAFE_UNIT, "\\x%02x", (unsigned)character);
    if (character < 0x10000)
        return snprintf(unit, SAFE_UNIT, "\\u%04x", (unsigned)character);
    return snprintf(unit, SAFE_UNIT, "\\U%08x", (unsigned)character);
}

size_t safe_unit(const char *text, size_t length, bool ascii, char unit[SAFE_UNIT], int *width)
{
    unit[0] = '\0';
    *width = 0;
    if (length == 0)
        return 0;
    uint32_t character;
    size_t eaten = utf8_decode(text, length, &character);
    if (eaten == 0) {
        *width = snprintf(unit, SAFE_UNIT, "\\x%02x", (unsigned)(unsigned char)text[0]);
        return 1;
    }
    int columns = ascii && character >= 0x80 ? -1 : character_width(character);
    if (columns <= 0) {
        /* A combining mark without a base would change the character before it on the screen. */
        *width = escape_character(character, unit);
        return eaten;
    }
    memcpy(unit, text, eaten);
    unit[eaten] = '\0';
    *width = columns;
    /* Plain ASCII before plain ASCII is nearly everything that is ever shown. */
    if (ascii || eaten == length || (unsigned char)text[eaten] < 0x80)
        return eaten;
    for (int marks = 0;; marks++) {
        uint32_t mark;
        if (eaten == length || marks == MARKS_MOST)
            return eaten;
        size_t more = utf8_decode(text + eaten, length - eaten, &mark);
        if (more == 0 || character_width(mark) != 0 || eaten + more >= SAFE_UNIT)
            return eaten;
        memcpy(unit + eaten, text + eaten, more);
        eaten += more;
        unit[eaten] = '\0';
    }
}

char *safe_text(const char *text, size_t length, bool ascii)
{
    size_t room = length + SAFE_UNIT, used = 0;
    char *safe = malloc(room);
    if (!safe)
        return NULL;
    size_t eaten;
    char unit[SAFE_UNIT];
    for (int width; (eaten = safe_unit(text, length, ascii, unit, &width)) > 0;
         text += eaten, length -= eaten) {
        size_t more = strlen(unit);
        if (used + more >= room) {
            room = room * 2 + more;
            char *bigger = realloc(safe, room);
            if (!bigger) {
                free(safe);
                return NULL;
            }
            safe = bigger;
        }
        memcpy(safe + used, unit, more);
        used += more;
    }
    safe[used] = '\0';
    return safe;
}

int safe_width(const char *text, size_t length, bool ascii)
{
    int columns = 0, width;
    size_t eaten;
    char unit[SAFE_UNIT];
    for (; (eaten = safe_unit(text, length, ascii, unit, &width)) > 0; text += eaten, length -= eaten) {
        if (columns > INT_MAX - width)
            return INT_MAX;
        columns += width;
    }
    return columns;
}
