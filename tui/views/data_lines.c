#include "tui/views/data_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "config/memory.h"
#include "tui/screen/safe.h"

#define FOLDED_BYTES 512

const char *data_form_word(enum data_form form)
{
    switch (form) {
    case DATA_JSON:
        return "JSON";
    case DATA_FOLDED:
        return "JSON folded";
    case DATA_TEXT:
        return "text";
    case DATA_HEX:
        return "hex";
    case DATA_FORM_COUNT:
        break;
    }
    return "?";
}

/* Only objects and arrays: every number is valid JSON, but is not meant as JSON. */
static json_t *parse(const unsigned char *data, size_t length)
{
    json_error_t error;

    return length > 0 ? json_loadb((const char *)data, length, 0, &error) : NULL;
}

/* Bytes below space, except those that end or indent a line, do not come in texts. */
static bool is_text(const unsigned char *data, size_t length)
{
    size_t odd = 0;
    char unit[SAFE_UNIT];
    int width;

    for (size_t at = 0; at < length;) {
        size_t eaten = safe_unit((const char *)data + at, length - at, false, unit, &width);

        if (eaten == 0)
            break;
        if (unit[0] == '\\' && data[at] != '\\' && strchr("\t\r\n", data[at]) == NULL)
            odd++;
        at += eaten;
    }
    return odd * 8 <= length;
}

bool data_form_fits(enum data_form form, const unsigned char *data, size_t length)
{
    json_t *json;

    if (form == DATA_HEX)
        return true;
    if (form == DATA_TEXT)
        return is_text(data, length);
    json = parse(data, length);
    json_decref(json);
    return json != NULL;
}

static void add_line(struct data_lines *lines, const char *text, size_t length)
{
    char *copy;

    room_for_one(&lines->at, lines->count, &lines->room, sizeof *lines->at);
    copy = xmalloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    lines->at[lines->count++] = (struct data_line){copy, length};
}

/* One line of text, broken where it is wider than the screen. */
static void add_wrapped(struct data_lines *lines, const char *text, size_t length, int width, bool ascii)
{
    size_t begin = 0, at = 0;
    int used = 0, columns;
    char unit[SAFE_UNIT];

    while (at < length) {
        size_t eaten = safe_unit(text + at, length - at, ascii, unit, &columns);

        if (eaten == 0)
            break;
        if (used + columns > width && at > begin) {
            add_line(lines, text + begin, at - begin);
            begin = at;
            used = 0;
        }
        used += columns;
        at += eaten;
    }
    add_line(lines, text + begin, length - begin);
}

static void make_text(struct data_lines *lines, const char *text, size_t length, int width, bool ascii)
{
    const char *end = text + length;

    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t line = (size_t)((newline != NULL ? newline : end) - text);
        size_t shown = line > 0 && newline != NULL && text[line - 1] == '\r' ? line - 1 : line;

        add_wrapped(lines, text, shown, width, ascii);
        text += line + 1;
    }
}

static void fold_value(const json_t *value, char *buffer, size_t size)
{
    char *dumped;

    if (json_is_object(value)) {
        snprintf(buffer, size, "{ %zu member%s }", json_object_size(value),
                 json_object_size(value) == 1 ? "" : "s");
    } else if (json_is_array(value)) {
        snprintf(buffer, size, "[ %zu item%s ]", json_array_size(value),
                 json_array_size(value) == 1 ? "" : "s");
    } else {
        dumped = json_dumps(value, JSON_ENCODE_ANY);
        snprintf(buffer, size, "%s", dumped != NULL ? dumped : "?");
        free(dumped);
    }
}

static void make_folded(struct data_lines *lines, json_t *json, int width, bool ascii)
{
    char value[FOLDED_BYTES], text[FOLDED_BYTES * 2];
    const char *key;
    json_t *member;
    size_t i;

    if (json_is_object(json)) {
        json_object_foreach(json, key, member)
        {
            fold_value(member, value, sizeof value);
            snprintf(text, sizeof text, "%s: %s", key, value);
            add_wrapped(lines, text, strlen(text), width, ascii);
        }
        return;
    }
    json_array_foreach(json, i, member)
    {
        fold_value(member, value, sizeof value);
        snprintf(text, sizeof text, "%zu: %s", i, value);
        add_wrapped(lines, text, strlen(text), width, ascii);
    }
}

static void make_hex(struct data_lines *lines, const unsigned char *data, size_t length, int width)
{
    size_t per_line = width >= 76 ? 16 : 8;
    char line[96];

    for (size_t at = 0; at < length; at += per_line) {
        size_t count = length - at < per_line ? length - at : per_line;
        int used = snprintf(line, sizeof line, "%08zx  ", at);

        for (size_t i = 0; i < per_line; i++) {
            if (i < count)
                used += snprintf(line + used, sizeof line - (size_t)used, "%02x ", data[at + i]);
            else
                used += snprintf(line + used, sizeof line - (size_t)used, "   ");
            if (i == 7 && per_line == 16)
                line[used++] = ' ';
        }
        line[used++] = ' ';
        for (size_t i = 0; i < count; i++)
            line[used++] = (char)(data[at + i] >= 0x20 && data[at + i] < 0x7f ? data[at + i] : '.');
        add_line(lines, line, (size_t)used);
    }
}

void data_lines_make(struct data_lines *lines, enum data_form form, const unsigned char *data, size_t length,
                     int width, bool ascii)
{
    json_t *json = form == DATA_JSON || form == DATA_FOLDED ? parse(data, length) : NULL;
    char *laid_out = NULL;

    data_lines_release(lines);
    if (width < 1)
        width = 1;
    if (form == DATA_HEX) {
        make_hex(lines, data, length, width);
    } else if (json != NULL && form == DATA_FOLDED) {
        make_folded(lines, json, width, ascii);
    } else if (json != NULL && (laid_out = json_dumps(json, JSON_INDENT(2))) != NULL) {
        make_text(lines, laid_out, strlen(laid_out), width, ascii);
    } else {
        make_text(lines, (const char *)data, length, width, ascii);
    }
    free(laid_out);
    json_decref(json);
}

void data_lines_release(struct data_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->at[i].text);
    free(lines->at);
    *lines = (struct data_lines){0};
}
