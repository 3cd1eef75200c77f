#include "tui/output/markup.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "tui/screen/safe.h"

static void put_escaped(struct buffer *out, const char *unit)
{
    for (; *unit; unit++) {
        switch (*unit) {
        case '<':
            buffer_put_text(out, "&lt;");
            break;
        case '>':
            buffer_put_text(out, "&gt;");
            break;
        case '&':
            buffer_put_text(out, "&amp;");
            break;
        case '"':
            buffer_put_text(out, "&quot;");
            break;
        case '\'':
            buffer_put_text(out, "&#39;");
            break;
        default:
            buffer_put_char(out, *unit);
        }
    }
}

void markup_text(struct buffer *out, const char *text)
{
    text = text ? text : "";
    size_t left = strlen(text), eaten;
    char unit[SAFE_UNIT];
    for (int width; (eaten = safe_unit(text, left, false, unit, &width)) > 0; text += eaten, left -= eaten)
        put_escaped(out, unit);
}

void markup_printf(struct buffer *out, const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    out->failed |= text.failed;
    markup_text(out, text.at);
    text_free(&text);
}

void markup_name(struct buffer *out, const char *name)
{
    buffer_put_text(out, "<bdi>");
    markup_text(out, name);
    buffer_put_text(out, "</bdi>");
}

void markup_label(struct buffer *out, const char *text, int columns)
{
    size_t length = strlen(text), eaten;
    char unit[SAFE_UNIT];
    bool fits = safe_width(text, length, false) <= columns;
    int room = fits ? columns : columns - 1;
    for (int width; (eaten = safe_unit(text, length, false, unit, &width)) > 0 && width <= room;
         text += eaten, length -= eaten, room -= width)
        put_escaped(out, unit);
    if (!fits)
        buffer_put_text(out, "…");
}
