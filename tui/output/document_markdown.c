/* The Markdown form of a document. */
#include "tui/output/document.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "tui/screen/safe.h"

static size_t longest_run(const char *text, char of)
{
    size_t longest = 0;
    for (; *text; text++) {
        size_t run = 0;
        while (text[run] == of)
            run++;
        longest = run > longest ? run : longest;
        text += run ? run - 1 : 0;
    }
    return longest;
}

/* A code span: nothing in it is Markdown, but for the pipe, which would end a table's cell even there. */
static void markdown_put_code(struct buffer *out, const char *text)
{
    size_t fence = longest_run(text, '`') + 1, left = strlen(text), eaten;
    bool padded = *text == '`' || (*text && text[left - 1] == '`');
    char unit[SAFE_UNIT];
    if (!*text) {
        buffer_put_text(out, "–");
        return;
    }
    for (size_t i = 0; i < fence; i++)
        buffer_put_char(out, '`');
    buffer_put_text(out, padded ? " " : "");
    for (int width; (eaten = safe_unit(text, left, false, unit, &width)) > 0; text += eaten, left -= eaten)
        buffer_put_text(out, strcmp(unit, "|") == 0 ? "\\|" : unit);
    buffer_put_text(out, padded ? " " : "");
    for (size_t i = 0; i < fence; i++)
        buffer_put_char(out, '`');
}

/* Prose that may hold strangers' bytes. An underscore inside a word means nothing in Markdown. */
static void markdown_put_prose(struct buffer *out, const char *text)
{
    const char *begin = text;
    size_t left = strlen(text), eaten;
    char unit[SAFE_UNIT], before = ' ';
    for (int width; (eaten = safe_unit(text, left, false, unit, &width)) > 0; text += eaten, left -= eaten) {
        bool inside =
            *unit == '_' && isalnum((unsigned char)before) && left > 1 && isalnum((unsigned char)text[1]);
        if (*unit == '<' || *unit == '&')
            buffer_put_text(out, *unit == '<' ? "&lt;" : "&amp;");
        else if (*unit == '@')
            buffer_put_text(out, "&#64;"); /* it mentions no user */
        else if (*unit == ':' && left > 2 && text[1] == '/' && text[2] == '/')
            buffer_put_text(out, "&#58;"); /* no link */
        else if (*unit == '.' && text - begin >= 3 && strncasecmp(text - 3, "www", 3) == 0)
            buffer_put_text(out, "&#46;");
        else {
            for (const char *at = unit; *at; at++) {
                if (strchr("\\`*[]>|~#!$", *at) || (*at == '_' && !inside))
                    buffer_put_char(out, '\\');
                buffer_put_char(out, *at);
            }
        }
        before = *unit;
    }
}

static const char *markdown_mark(style look)
{
    return look == ROLE_STRONG || look == ROLE_WARNING || look == ROLE_CRITICAL ? "**"
           : look == ROLE_INFO                                                  ? "*"
                                                                                : "";
}

static void markdown_put(struct buffer *out, const struct document *doc, size_t block)
{
    for (size_t i = doc->blocks[block].first; i < document_end(doc, block); i++) {
        const struct fragment *fragment = &doc->fragments[i];
        buffer_put_text(out, markdown_mark(fragment->look));
        if (fragment->kind == FRAGMENT_NAME)
            markdown_put_code(out, fragment->text);
        else if (fragment->text)
            markdown_put_prose(out, fragment->text);
        buffer_put_text(out, markdown_mark(fragment->look));
    }
}

static void markdown_put_headings(struct buffer *out, const struct document *doc, size_t table)
{
    const struct document_block *block = &doc->blocks[table];
    for (size_t i = 0; i < block->column_count; i++) {
        char heading[DOCUMENT_HEADING];
        buffer_printf(out, "| %s ", document_column_heading(doc, &block->columns[i], heading));
    }
    if (block->detail)
        buffer_printf(out, "| %s ", block->detail);
    buffer_put_text(out, "|\n");
    for (size_t i = 0; i < block->column_count; i++)
        buffer_put_text(out, block->columns[i].kind == COLUMN_NUMBER ? "|--:" : "|---");
    buffer_put_text(out, block->detail ? "|---|\n" : "|\n");
}

/* Returns its last block. */
static size_t markdown_put_table(struct buffer *out, const struct document *doc, size_t table)
{
    size_t i = table;
    markdown_put_headings(out, doc, table);
    while (document_is(doc, i + 1, BLOCK_ROW) || document_is(doc, i + 1, BLOCK_GROUP)) {
        i++;
        if (doc->blocks[i].kind == BLOCK_GROUP) {
            buffer_put_text(out, "| ");
            markdown_put(out, doc, i);
            buffer_put_char(out, ' ');
        }
        for (; document_is(doc, i + 1, BLOCK_CELL) || document_is(doc, i + 1, BLOCK_DETAIL); i++) {
            buffer_put_text(out, "| ");
            markdown_put(out, doc, i + 1);
            buffer_put_char(out, ' ');
        }
        buffer_put_text(out, "|\n");
    }
    return i;
}

/* The block goes on with the list or the line before it. */
static bool markdown_goes_on(const struct document *doc, size_t block)
{
    const struct document_block *it = &doc->blocks[block], *before = it - (block < 2 ? 0 : 2);
    if (it->kind == BLOCK_DETAIL || it->kind == BLOCK_DEFINITION)
        return true;
    return before != it && before->kind == it->kind &&
           (it->kind == BLOCK_TERM || (it->kind == BLOCK_CLAIM && it->level && before->level));
}

void document_print_markdown(const struct document *doc, struct buffer *out)
{
    for (size_t i = 0; i < doc->block_count; i++) {
        const struct document_block *block = &doc->blocks[i];
        if (block->kind > BLOCK_DEFINITION)
            continue;
        if (out->length && !markdown_goes_on(doc, i))
            buffer_put_char(out, '\n');
        if (block->kind == BLOCK_TABLE) {
            i = markdown_put_table(out, doc, i);
            continue;
        }
        if (block->kind == BLOCK_HEADING)
            buffer_printf(out, "%.*s ", block->level, "###");
        else if (block->kind == BLOCK_TERM || (block->kind == BLOCK_CLAIM && block->level))
            buffer_put_text(out, "- ");
        else if (block->kind == BLOCK_DETAIL && doc->blocks[i - 1].level)
            buffer_put_text(out, "  ");
        markdown_put(out, doc, i);
        buffer_put_text(out, block->kind == BLOCK_CLAIM ? "  \n" : block->kind == BLOCK_TERM ? ": " : "\n");
    }
}
