#include "tui/screen/safe.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

#include "config/memory.h"
#include "config/utf8.h"

/* As many as a curses cell holds; no language needs more, and further ones are shown as escapes. */
#define MARKS_MOST 4

bool safe_locale_is_utf8(void)
{
    const char *codeset = nl_langinfo(CODESET);
    return strcasecmp(codeset, "UTF-8") == 0 || strcasecmp(codeset, "UTF8") == 0;
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
    if (utf8_deceives(character))
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
    char *safe = xmalloc(room);
    size_t eaten;
    char unit[SAFE_UNIT];
    for (int width; (eaten = safe_unit(text, length, ascii, unit, &width)) > 0;
         text += eaten, length -= eaten) {
        size_t more = strlen(unit);
        if (used + more >= room) {
            room = room * 2 + more;
            char *bigger = xreallocarray(safe, room, 1);
            safe = bigger;
        }
        memcpy(safe + used, unit, more);
        used += more;
    }
    safe[used] = '\0';
    return safe;
}

/* The number of printable ASCII bytes at the beginning, a column each. The last one before anything else is not
   counted: a combining mark may follow it. */
static size_t plain_length(const char *text, size_t length)
{
    size_t plain = 0;
    while (plain < length && text[plain] >= 0x20 && text[plain] < 0x7f)
        plain++;
    return plain == length || plain == 0 ? plain : plain - 1;
}

int safe_width(const char *text, size_t length, bool ascii)
{
    size_t eaten, plain = plain_length(text, length < INT_MAX ? length : 0);
    int columns = (int)plain, width;
    char unit[SAFE_UNIT];
    text += plain; /* most texts are nothing else */
    length -= plain;
    for (; (eaten = safe_unit(text, length, ascii, unit, &width)) > 0; text += eaten, length -= eaten) {
        if (columns > INT_MAX - width)
            return INT_MAX;
        columns += width;
    }
    return columns;
}
