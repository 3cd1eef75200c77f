#include "tui/screen/wrap.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "tui/screen/safe.h"

/* A short unit, which belongs to the number before it: "12.0 s". */
static bool begins_with_unit(const char *text)
{
    size_t length = strcspn(text, " ");

    while (length > 0 && ispunct((unsigned char)text[length - 1]))
        length--;
    return (length == 1 && *text == 's') || (length == 2 && strncmp(text, "ms", 2) == 0);
}

/* The bytes of text that make its first line: whole words, or as much of a too long word as fits. */
static size_t first_line(const struct cells *cells, int width, const char *text)
{
    size_t length = strlen(text), at = 0, word = 0;
    int used = 0;

    while (at < length) {
        char unit[SAFE_UNIT];
        int columns;
        size_t eaten = safe_unit(text + at, length - at, cells->ascii, unit, &columns);

        if (used + columns > width)
            return word > 0 ? word : at > 0 ? at : eaten;
        used += columns;
        at += eaten;
        bool number = isdigit((unsigned char)text[at - 1]);
        if ((text[at] == ' ' && !(number && begins_with_unit(text + at + 1))) || text[at] == '\0')
            word = at;
    }
    return length;
}

static const char *next_line(const char *text, size_t length)
{
    text += length;
    while (*text == ' ')
        text++;
    return text;
}

int wrap_lines(const struct cells *cells, int width, const char *text)
{
    int lines = 0;

    for (; *text != '\0' && width > 0; lines++)
        text = next_line(text, first_line(cells, width, text));
    return lines;
}

int wrap_put(struct cells *cells, int x, int y, int width, int rows, style look, const char *text)
{
    int used = 0;

    while (*text != '\0' && used < rows && width > 0) {
        size_t length = first_line(cells, width, text);
        bool last = used + 1 == rows;

        cells_put_bytes(cells, x, y + used, width, look, text, last ? strlen(text) : length);
        text = next_line(text, length);
        used++;
    }
    return used;
}
