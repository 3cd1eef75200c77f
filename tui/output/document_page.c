/* The HTML form of a document. */
#include "tui/output/document.h"

#include <string.h>

#include "tui/output/page_style.h"

static const char *page_class(style look)
{
    return look == ROLE_STRONG     ? "verdict"
           : look == ROLE_DIM      ? "note"
           : look == ROLE_INFO     ? "note"
           : look == ROLE_CRITICAL ? "critical"
           : look == ROLE_WARNING  ? "warning"
           : look == ROLE_GOOD     ? "held"
                                   : "said";
}

/* What stands out from its block, and how. */
static const char *page_element(const struct fragment *fragment, style around)
{
    if (!fragment->title && (fragment->look == ROLE_TEXT || fragment->look == around))
        return NULL;
    return fragment->look == ROLE_STRONG ? "b"
           : fragment->look == ROLE_INFO ? "i"
           : fragment->look == ROLE_DIM  ? "small"
                                         : "span";
}

static void page_put_fragment(struct buffer *out, const struct fragment *fragment, style around)
{
    const char *element = page_element(fragment, around);
    if (fragment->link)
        buffer_printf(out, "<a href=\"#e%zu\">", fragment->link);
    if (element) {
        buffer_printf(out, "<%s", element);
        if (strcmp(element, "span") == 0)
            buffer_printf(out, " class=\"%s\"", page_class(fragment->look));
        if (fragment->title) {
            buffer_put_text(out, " title=\"");
            markup_text(out, fragment->title);
            buffer_put_char(out, '"');
        }
        buffer_put_char(out, '>');
    }
    if (fragment->kind == FRAGMENT_DRAWING)
        buffer_put_text(out, fragment->text);
    else if (fragment->kind == FRAGMENT_BREAK)
        buffer_put_text(out, "<br/>");
    else if (fragment->kind == FRAGMENT_WORDS)
        markup_text(out, fragment->text);
    else
        markup_name(out, fragment->text);
    if (element)
        buffer_printf(out, "</%s>", element);
    if (fragment->link)
        buffer_put_text(out, "</a>");
}

static void page_put(struct buffer *out, const struct document *doc, size_t block)
{
    for (size_t i = doc->blocks[block].first; i < document_end(doc, block); i++)
        page_put_fragment(out, &doc->fragments[i], doc->blocks[block].look);
}

/* An element with the block in it. begin: as it is written, without the angle brackets. */
static void page_put_in(struct buffer *out, const struct document *doc, size_t block, const char *begin,
                        const char *end)
{
    buffer_put_text(out, begin);
    page_put(out, doc, block);
    buffer_put_text(out, end);
}

static const char *const page_cell_classes[] = {[COLUMN_TEXT] = "",
                                                [COLUMN_NAME] = " class=\"who\"",
                                                [COLUMN_BELOW] = " class=\"who\"",
                                                [COLUMN_WORD] = " class=\"t\"",
                                                [COLUMN_TIME] = " class=\"t\"",
                                                [COLUMN_NUMBER] = " class=\"n\""};

/* Figures alone are read better close together. */
static bool page_is_figures(const struct document_block *table)
{
    for (size_t i = 1; i < table->column_count; i++)
        if (table->columns[i].kind != COLUMN_NUMBER && *table->columns[i].heading)
            return false;
    return true;
}

static void page_begin_table(struct buffer *out, const struct document *doc, size_t table)
{
    const struct document_block *block = &doc->blocks[table];
    bool headed = false;
    char text[DOCUMENT_HEADING];
    for (size_t i = 0; i < block->column_count; i++)
        headed |= *block->columns[i].heading != '\0';
    buffer_printf(out, "<div class=\"table\"><table%s>\n%s",
                  page_is_figures(block) ? " class=\"figures\"" : "", headed ? "<thead><tr>" : "");
    for (size_t i = 0; headed && i < block->column_count; i++) {
        const struct document_column *column = &block->columns[i];
        if (!*column->heading) {
            buffer_put_text(out, "<td></td>");
            continue;
        }
        buffer_printf(out, "<th scope=\"col\"%s>", column->kind == COLUMN_NUMBER ? " class=\"n\"" : "");
        markup_text(out, document_column_heading(doc, column, text));
        buffer_put_text(out, "</th>");
    }
    buffer_put_text(out, headed ? "</tr></thead>\n" : "");
    if (!block->detail)
        buffer_put_text(out, "<tbody>\n");
}

static void page_put_cell(struct buffer *out, const struct document *doc, size_t block,
                          const struct document_column *column, bool first, int level)
{
    if (first)
        buffer_printf(out, "<th scope=\"row\"%s>",
                      level ? " class=\"inner\"" : page_cell_classes[column->kind]);
    else
        buffer_printf(out, "<td%s>", page_cell_classes[column->kind]);
    page_put(out, doc, block);
    buffer_put_text(out, first ? "</th>" : "</td>");
}

/* Returns its last block. */
static size_t page_put_row(struct buffer *out, const struct document *doc, size_t row,
                           const struct document_block *table)
{
    size_t i = row;
    buffer_put_text(out, table->detail ? "<tbody class=\"pair\"><tr>" : "<tr>");
    if (doc->blocks[row].kind == BLOCK_GROUP) {
        buffer_printf(out, "<th scope=\"rowgroup\" class=\"group\" colspan=\"%zu\">", table->column_count);
        page_put_in(out, doc, row, "", "</th>");
    }
    for (; document_is(doc, i + 1, BLOCK_CELL); i++)
        page_put_cell(out, doc, i + 1, &table->columns[i - row], i == row, doc->blocks[row].level);
    buffer_put_text(out, "</tr>");
    if (document_is(doc, i + 1, BLOCK_DETAIL)) {
        buffer_printf(out, "\n<tr><td></td><td class=\"evidence\" colspan=\"%zu\">", table->column_count - 1);
        page_put_in(out, doc, ++i, "", "</td></tr>");
    }
    buffer_put_text(out, table->detail ? "</tbody>\n" : "\n");
    return i;
}

/* Returns its last block. */
static size_t page_put_table(struct buffer *out, const struct document *doc, size_t table)
{
    size_t i = table;
    page_begin_table(out, doc, table);
    while (document_is(doc, i + 1, BLOCK_ROW) || document_is(doc, i + 1, BLOCK_GROUP))
        i = page_put_row(out, doc, i + 1, &doc->blocks[table]);
    buffer_put_text(out, doc->blocks[table].detail ? "</table></div>\n" : "</tbody></table></div>\n");
    return i;
}

/* A claim and its reasons. Returns the last block. */
static size_t page_put_claims(struct buffer *out, const struct document *doc, size_t claim)
{
    size_t i = claim + 1;
    page_put_in(out, doc, claim, "<details class=\"story\" open=\"open\"><summary>", "</summary>\n");
    page_put_in(out, doc, i, "<p class=\"note\">", "</p>\n<ul>\n");
    for (; document_is(doc, i + 1, BLOCK_CLAIM) && doc->blocks[i + 1].level; i += 2) {
        page_put_in(out, doc, i + 1, "<li>", "<br/><small>");
        page_put_in(out, doc, i + 2, "", "</small></li>\n");
    }
    buffer_put_text(out, "</ul></details>\n");
    return i;
}

/* Blocks that stand in one element together. Returns the last. */
static size_t page_put_list(struct buffer *out, const struct document *doc, size_t block)
{
    size_t i = block;
    bool keys = doc->blocks[block].kind == BLOCK_KEY;
    buffer_put_text(out, keys ? "<p class=\"keys\">\n" : "<dl>\n");
    for (; document_is(doc, i, doc->blocks[block].kind); i++) {
        if (keys) {
            page_put_in(out, doc, i, "<span>", "</span>\n");
            continue;
        }
        buffer_printf(out, "<div class=\"%s\"><dt>", page_class(doc->blocks[i].look));
        page_put_in(out, doc, i++, "", "</dt>");
        page_put_in(out, doc, i, "<dd>", "</dd></div>\n");
    }
    buffer_put_text(out, keys ? "</p>\n" : "</dl>\n");
    return i - 1;
}

static void page_put_heading(struct buffer *out, const struct document *doc, size_t block)
{
    const struct document_block *heading = &doc->blocks[block];
    buffer_printf(out, "<h%d", heading->level);
    if (heading->number)
        buffer_printf(out, " id=\"e%zu\"", heading->number);
    page_put_in(out, doc, block, ">", "");
    buffer_printf(out, "</h%d>\n", heading->level);
}

static void page_put_paragraph(struct buffer *out, const struct document *doc, size_t block)
{
    buffer_printf(out, "<p class=\"%s\"", page_class(doc->blocks[block].look));
    if (doc->blocks[block].number)
        buffer_printf(out, " id=\"e%zu\"", doc->blocks[block].number);
    page_put_in(out, doc, block, ">", "</p>\n");
}

/* Returns the last block that it was. */
static size_t page_put_block(struct buffer *out, const struct document *doc, size_t block)
{
    switch (doc->blocks[block].kind) {
    case BLOCK_HEADING:
        page_put_heading(out, doc, block);
        break;
    case BLOCK_PARAGRAPH:
        page_put_paragraph(out, doc, block);
        break;
    case BLOCK_TABLE:
        return page_put_table(out, doc, block);
    case BLOCK_CLAIM:
        return page_put_claims(out, doc, block);
    case BLOCK_TERM:
    case BLOCK_KEY:
        return page_put_list(out, doc, block);
    case BLOCK_FIGURE:
        page_put_in(out, doc, block, "<figure>\n", "</figure>\n");
        break;
    case BLOCK_BODY:
        buffer_put_text(out, "</header>\n<main>\n");
        break;
    case BLOCK_FOOTER:
        buffer_put_text(out, "</main>\n<footer>\n");
        break;
    default: /* belong to one of those */
        break;
    }
    return block;
}

/* What the window is called: the heading, and what is said first below it. */
static void page_put_title(struct buffer *out, const struct document *doc)
{
    for (size_t i = 0; i <= document_end(doc, 0) && i < doc->fragment_count; i++) {
        buffer_put_text(out, i == document_end(doc, 0) ? ", " : "");
        markup_text(out, doc->fragments[i].text);
    }
}

void document_print_page(const struct document *doc, struct buffer *out)
{
    page_head_begin(out);
    page_put_title(out, doc);
    page_head_end(out);
    buffer_printf(out, "<header>\n<p class=\"brand\"><b>electop</b> %s</p>\n", doc->brand);
    for (size_t i = 0; i < doc->block_count; i++)
        i = page_put_block(out, doc, i);
    buffer_put_text(out, "</footer>\n</body>\n</html>\n");
}
