/* The text form of a document. */
#include "tui/output/document.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>

#include "config/text.h"
#include "tui/words/labels.h"
#include "tui/words/names.h"

/* A fragment as it is printed, malloc'd. */
static char *text_of(const struct printer *printer, const struct fragment *fragment)
{
    struct text text = {0};
    for (int i = 0; i < fragment->count; i++)
        text_add(&text, cells_sign(printer->row, fragment->sign));
    text_add(&text, fragment->text ? fragment->text : "");
    return fragment->kind == FRAGMENT_NAME ? text_take(&text) : cells_plain(printer->row, text_take(&text));
}

/* Prints a block's fragments from column x on, and on the next line after a break. Returns the end. */
static int text_put(struct printer *printer, const struct document *doc, size_t block, int x, style look)
{
    int at = x;
    for (size_t i = doc->blocks[block].first; i < document_end(doc, block); i++) {
        const struct fragment *fragment = &doc->fragments[i];
        char *text = text_of(printer, fragment);
        if (fragment->kind == FRAGMENT_BREAK) {
            printer_prose(printer);
            at = x;
        } else {
            at = printer_put(printer, at, fragment->look == ROLE_TEXT ? look : fragment->look, text);
        }
        free(text);
    }
    return at;
}

static void text_put_prose(struct printer *printer, const struct document *doc, size_t block, int x,
                           style look)
{
    text_put(printer, doc, block, x, look);
    printer_prose(printer);
}

/* All of a cell in one look, malloc'd. */
static char *text_cell(const struct printer *printer, const struct document *doc, size_t block)
{
    struct text text = {0};
    for (size_t i = doc->blocks[block].first; i < document_end(doc, block); i++) {
        char *part = text_of(printer, &doc->fragments[i]);
        text_add(&text, part);
        free(part);
    }
    return text_take(&text);
}

static void text_put_cell(struct printer *printer, const struct document *doc, size_t block,
                          const struct column *column, int indent)
{
    char *text = text_cell(printer, doc, block);
    int x = column->x + indent, room = column->width - indent;
    int spare = room - printer_text_width(printer, text);
    const struct fragment *first = doc->fragments + doc->blocks[block].first;
    if (column->width > 0 && spare >= 0)
        text_put(printer, doc, block, x + (column->right ? spare : 0), ROLE_TEXT);
    else if (room > 0 && first->kind == FRAGMENT_NAME)
        name_put(printer->row, x, 0, room, first->look, first->text);
    else if (room > 0)
        cells_put(printer->row, x, 0, room, first->look, text);
    free(text);
}

/* Measures the columns of a table. */
static void text_measure(const struct printer *printer, const struct document *doc, size_t table,
                         struct column columns[DOCUMENT_COLUMNS])
{
    int indent = 0;
    size_t cell = 0;
    for (size_t i = table + 1; i < doc->block_count; i++) {
        const struct document_block *block = &doc->blocks[i];
        if (block->kind == BLOCK_ROW) {
            indent = block->level * 2;
            cell = 0;
        } else if (block->kind == BLOCK_CELL) {
            char *text = text_cell(printer, doc, i);
            columns_want(&columns[cell], printer_text_width(printer, text) + (cell ? 0 : indent));
            free(text);
            cell++;
        } else if (block->kind != BLOCK_GROUP && block->kind != BLOCK_DETAIL) {
            break;
        }
    }
    printer_table_want_headings(printer, columns, (int)doc->blocks[table].column_count);
}

static void text_upper(char *text)
{
    for (; *text; text++)
        *text = (char)toupper((unsigned char)*text);
}

/* Columns without which a column of text says little. */
#define TEXT_LEAST 8
#define NAME_LEAST 16
#define LAST_LEAST 20 /* the last one explains */

/* Lays out the columns, and prints the headings. Returns the column that goes below its row, or -1. */
static int text_begin_table(struct printer *printer, const struct document *doc, size_t table,
                            struct column columns[DOCUMENT_COLUMNS])
{
    const struct document_column *wanted = doc->blocks[table].columns;
    char headings[DOCUMENT_COLUMNS][DOCUMENT_HEADING];
    int below = -1, count = (int)doc->blocks[table].column_count;
    for (int i = 0; i < count; i++) {
        document_column_heading(doc, &wanted[i], headings[i]);
        text_upper(cells_plain(printer->row, headings[i]));
        columns[i] = (struct column){.heading = headings[i],
                                     .most = INT_MAX,
                                     .importance = wanted[i].importance,
                                     .right = wanted[i].kind == COLUMN_NUMBER};
    }
    text_measure(printer, doc, table, columns);
    for (int i = 0; i < count; i++) {
        int least = wanted[i].kind != COLUMN_TEXT ? NAME_LEAST : i < count - 1 ? TEXT_LEAST : LAST_LEAST;
        columns[i].least = wanted[i].kind >= COLUMN_WORD || columns[i].want < least ? columns[i].want : least;
        if (wanted[i].kind == COLUMN_BELOW && printer->style.width)
            below = i;
    }
    if (below >= 0 && printer_table_wants(columns, count) > printer->style.width)
        columns[below].hidden = true;
    else
        below = -1;
    printer_table_begin(printer, columns, count, table ? 2 : 0); /* alone, it is below nothing */
    printer_width(printer, PRINTER_WIDTH);                       /* lines below a row may be longer */
    return below;
}

/* The cells of the row, each in its column. Returns the last of them. */
static size_t text_put_row(struct printer *printer, const struct document *doc, size_t row,
                           const struct column columns[DOCUMENT_COLUMNS], int below)
{
    int cell = 0;
    size_t i = row;
    for (; document_is(doc, i + 1, BLOCK_CELL); i++, cell++)
        text_put_cell(printer, doc, i + 1, &columns[cell], cell ? 0 : doc->blocks[row].level * 2);
    printer_line(printer);
    if (below >= 0)
        text_put_prose(printer, doc, row + 1 + (size_t)below, columns[below - 1].x, ROLE_TEXT);
    return i;
}

/* The same as a line, each behind the other. */
static size_t text_put_line(struct printer *printer, const struct document *doc, size_t row)
{
    size_t i = row;
    for (int x = 2, end; document_is(doc, i + 1, BLOCK_CELL); i++) {
        end = text_put(printer, doc, i + 1, x, ROLE_TEXT);
        x = end > x ? end + TABLE_GAP : x;
    }
    printer_prose(printer);
    return i;
}

/* Returns its last block. */
static size_t text_put_table(struct printer *printer, const struct document *doc, size_t table)
{
    struct column columns[DOCUMENT_COLUMNS];
    bool listed = doc->blocks[table].listed;
    int below = listed ? -1 : text_begin_table(printer, doc, table, columns);
    size_t i = table;
    for (;; i++) {
        if (document_is(doc, i + 1, BLOCK_ROW)) {
            i = listed ? text_put_line(printer, doc, i + 1) - 1
                       : text_put_row(printer, doc, i + 1, columns, below) - 1;
        } else if (document_is(doc, i + 1, BLOCK_GROUP)) {
            text_put_prose(printer, doc, i + 1, 2 + 2 * doc->blocks[i + 1].level, ROLE_TEXT);
        } else if (document_is(doc, i + 1, BLOCK_DETAIL)) {
            text_put_prose(printer, doc, i + 1, 4, ROLE_DIM);
        } else {
            break;
        }
    }
    return i;
}

static void text_put_heading(struct printer *printer, const struct document *doc, size_t block, int indent)
{
    static const style looks[] = {ROLE_TITLE, ROLE_TITLE, ROLE_STRONG, ROLE_HEADING};
    const struct document_block *heading = &doc->blocks[block];
    if (block > 0)
        printer_line(printer);
    if (heading->look == ROLE_RULE) {
        char *caption = text_cell(printer, doc, block);
        cells_rule(printer->row, 0, 0, 76, caption);
        free(caption);
    } else {
        text_put(printer, doc, block, heading->level > 2 ? indent : 0, looks[heading->level]);
    }
    printer_prose(printer);
}

void document_print_text(const struct document *doc, struct buffer *out, const struct print_style *how)
{
    struct printer printer;
    int indent = 0; /* of what belongs to a section */
    printer_begin(&printer, out, how);
    for (size_t i = 0; i < doc->block_count; i++) {
        const struct document_block *block = &doc->blocks[i];
        switch (block->kind) {
        case BLOCK_HEADING:
            indent = block->level == 2 ? block->look == ROLE_RULE ? 0 : 2 : indent;
            text_put_heading(&printer, doc, i, indent);
            break;
        case BLOCK_CLAIM:
            if (!block->level && i > 0 && document_is(doc, i - 1, BLOCK_DETAIL))
                printer_line(&printer);
            text_put_prose(&printer, doc, i, indent, ROLE_TEXT);
            break;
        case BLOCK_PARAGRAPH:
            text_put_prose(&printer, doc, i, indent, ROLE_TEXT);
            break;
        case BLOCK_DETAIL: /* of a claim */
            text_put_prose(&printer, doc, i, indent + 4, ROLE_DIM);
            break;
        case BLOCK_TABLE:
            i = text_put_table(&printer, doc, i);
            break;
        default:
            break;
        }
    }
    printer_end(&printer);
}
