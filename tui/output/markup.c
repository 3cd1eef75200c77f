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

/* After this byte a name may go on in the next line: between its parts, and not within a number or a time. */
static bool parts_names(const char *at)
{
    bool letter = (at[1] >= 'a' && at[1] <= 'z') || (at[1] >= 'A' && at[1] <= 'Z');
    return at[1] != '\0' && (*at == '/' || *at == '_' || (letter && (*at == '.' || *at == ':')));
}

void markup_name(struct buffer *out, const char *name)
{
    size_t left = strlen(name), eaten;
    char unit[SAFE_UNIT];
    buffer_put_text(out, "<bdi>");
    for (int width; (eaten = safe_unit(name, left, false, unit, &width)) > 0; name += eaten, left -= eaten) {
        put_escaped(out, unit);
        if (eaten == 1 && parts_names(name))
            buffer_put_text(out, "<wbr/>");
    }
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
