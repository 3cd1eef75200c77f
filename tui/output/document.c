#include "tui/output/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/memory.h"
#include "config/text.h"

struct document_block *document_block(struct document *doc, enum block_kind kind, style look)
{
    room_for_one(&doc->blocks, doc->block_count, &doc->block_room, sizeof *doc->blocks);
    struct document_block *block = &doc->blocks[doc->block_count++];
    *block = (struct document_block){.kind = kind, .look = look, .first = doc->fragment_count};
    return block;
}

/* Takes the text. */
static struct fragment *document_add(struct document *doc, enum fragment_kind kind, style look, char *text)
{
    room_for_one(&doc->fragments, doc->fragment_count, &doc->fragment_room, sizeof *doc->fragments);
    struct fragment *fragment = &doc->fragments[doc->fragment_count++];
    *fragment = (struct fragment){.kind = kind, .look = look, .text = text};
    return fragment;
}

__attribute__((format(printf, 3, 0))) static struct fragment *
document_vprintf(struct document *doc, style look, const char *format, va_list arguments)
{
    struct text text = {0};
    text_vprintf(&text, format, arguments);
    return document_add(doc, FRAGMENT_WORDS, look, text_take(&text));
}

struct fragment *document_words(struct document *doc, style look, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct fragment *fragment = document_vprintf(doc, look, format, arguments);
    va_end(arguments);
    return fragment;
}

void document_paragraph(struct document *doc, style look, const char *format, ...)
{
    va_list arguments;
    document_block(doc, BLOCK_PARAGRAPH, look);
    va_start(arguments, format);
    document_vprintf(doc, look, format, arguments);
    va_end(arguments);
}

struct fragment *document_cell(struct document *doc, style look, const char *format, ...)
{
    va_list arguments;
    document_block(doc, BLOCK_CELL, ROLE_TEXT);
    va_start(arguments, format);
    struct fragment *fragment = document_vprintf(doc, look, format, arguments);
    va_end(arguments);
    return fragment;
}

struct fragment *document_name_cell(struct document *doc, style look, const char *name)
{
    document_block(doc, BLOCK_CELL, ROLE_TEXT);
    return document_name(doc, look, name);
}

struct fragment *document_prose(struct document *doc, style look, const char *text)
{
    return document_add(doc, FRAGMENT_PROSE, look, xstrdup(text ? text : ""));
}

struct fragment *document_name(struct document *doc, style look, const char *name)
{
    return document_add(doc, FRAGMENT_NAME, look, xstrdup(name));
}

void document_sign(struct document *doc, style look, enum sign sign, int count)
{
    if (doc->form != DOCUMENT_TEXT)
        return;
    struct fragment *fragment = document_add(doc, FRAGMENT_SIGN, look, NULL);
    fragment->sign = sign;
    fragment->count = count;
}

void document_drawing(struct document *doc, struct buffer *markup)
{
    buffer_put_char(markup, '\0');
    document_add(doc, FRAGMENT_DRAWING, ROLE_TEXT, markup->bytes);
    *markup = (struct buffer){0};
}

void document_key(struct document *doc, const char *drawing, const char *words)
{
    struct buffer markup = {0};
    buffer_printf(&markup, "<svg viewBox=\"0 0 18 11\" aria-hidden=\"true\">%s</svg>", drawing);
    document_block(doc, BLOCK_KEY, ROLE_TEXT);
    document_drawing(doc, &markup);
    document_words(doc, ROLE_TEXT, "%s", words);
}

void document_break(struct document *doc, unsigned forms, const char *otherwise)
{
    bool breaks = forms & 1U << doc->form;
    document_add(doc, breaks ? FRAGMENT_BREAK : FRAGMENT_WORDS, ROLE_TEXT, xstrdup(otherwise));
}

struct document_block *document_heading(struct document *doc, int level, const char *text)
{
    struct document_block *heading = document_block(doc, BLOCK_HEADING, ROLE_TEXT);
    heading->level = level;
    document_words(doc, ROLE_TEXT, "%s", text);
    return heading;
}

struct document_block *document_table(struct document *doc, const struct document_column *columns,
                                      size_t count)
{
    struct document_block *table = document_block(doc, BLOCK_TABLE, ROLE_TEXT);
    table->columns = xmemdup(columns, count * sizeof *columns);
    table->column_count = count;
    return table;
}

void document_row(struct document *doc, int level)
{
    document_block(doc, BLOCK_ROW, ROLE_TEXT)->level = level;
}

void document_cut(struct document *doc, const char *part, size_t shown, size_t all)
{
    if (shown == all)
        return;
    document_paragraph(doc, ROLE_DIM, "These are the %s %zu of %zu; ", part, shown, all);
    document_name(doc, ROLE_DIM, "--json");
    document_words(doc, ROLE_DIM, " has them all.");
}

const char *document_column_heading(const struct document *doc, const struct document_column *column,
                                    char buffer[DOCUMENT_HEADING])
{
    bool zoned = column->kind == COLUMN_TIME;
    snprintf(buffer, DOCUMENT_HEADING, "%s%s%s%s", column->heading, zoned ? " (" : "", zoned ? doc->zone : "",
             zoned ? ")" : "");
    return buffer;
}

size_t document_end(const struct document *doc, size_t block)
{
    return block + 1 < doc->block_count ? doc->blocks[block + 1].first : doc->fragment_count;
}

bool document_is(const struct document *doc, size_t block, enum block_kind kind)
{
    return block < doc->block_count && doc->blocks[block].kind == kind;
}

void document_free(struct document *doc)
{
    for (size_t i = 0; i < doc->fragment_count; i++) {
        free(doc->fragments[i].text);
        free(doc->fragments[i].title);
    }
    for (size_t i = 0; i < doc->block_count; i++)
        free(doc->blocks[i].columns);
    free(doc->blocks);
    free(doc->fragments);
    *doc = (struct document){0};
}

void document_print(const struct document *doc, struct buffer *out, const struct print_style *how)
{
    if (doc->form == DOCUMENT_TEXT)
        document_print_text(doc, out, how);
    else if (doc->form == DOCUMENT_MARKDOWN)
        document_print_markdown(doc, out);
    else
        document_print_page(doc, out);
}
