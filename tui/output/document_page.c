/* The HTML form of a document. */
#include "tui/output/document.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "tui/screen/safe.h"

static void page_put_escaped(struct buffer *out, const char *unit)
{
    static const char *const entities[] = {
        ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;", ['\''] = "&#39;"};
    for (; *unit; unit++) {
        size_t sign = (unsigned char)*unit;
        const char *entity = sign < sizeof entities / sizeof *entities ? entities[sign] : NULL;
        if (entity)
            buffer_put_text(out, entity);
        else
            buffer_put_char(out, *unit);
    }
}

void page_markup_text(struct buffer *out, const char *text)
{
    text = text ? text : "";
    size_t left = strlen(text), eaten;
    char unit[SAFE_UNIT];
    for (int width; (eaten = safe_unit(text, left, false, unit, &width)) > 0; text += eaten, left -= eaten)
        page_put_escaped(out, unit);
}

void page_markup_printf(struct buffer *out, const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    page_markup_text(out, text.at);
    text_free(&text);
}

/* After this byte a name may go on in the next line: between its parts, and not within a number or a time. */
static bool parts_names(const char *at)
{
    bool letter = (at[1] >= 'a' && at[1] <= 'z') || (at[1] >= 'A' && at[1] <= 'Z');
    return at[1] != '\0' && (*at == '/' || *at == '_' || (letter && (*at == '.' || *at == ':')));
}

/* A foreign text in a separate element, whose writing direction stays inside. */
static void page_put_name(struct buffer *out, const char *name)
{
    size_t left = strlen(name), eaten;
    char unit[SAFE_UNIT];
    buffer_put_text(out, "<bdi>");
    for (int width; (eaten = safe_unit(name, left, false, unit, &width)) > 0; name += eaten, left -= eaten) {
        page_put_escaped(out, unit);
        if (eaten == 1 && parts_names(name))
            buffer_put_text(out, "<wbr/>");
    }
    buffer_put_text(out, "</bdi>");
}

void page_markup_label(struct buffer *out, const char *text, int columns)
{
    size_t length = strlen(text), eaten;
    char unit[SAFE_UNIT];
    bool fits = safe_width(text, length, false) <= columns;
    int room = fits ? columns : columns - 1;
    for (int width; (eaten = safe_unit(text, length, false, unit, &width)) > 0 && width <= room;
         text += eaten, length -= eaten, room -= width)
        page_put_escaped(out, unit);
    if (!fits)
        buffer_put_text(out, "…");
}

/* The pattern of unobserved time, in every drawing. */
static const char page_pattern[] =
    "<svg class=\"definitions\" aria-hidden=\"true\"><defs>"
    "<pattern id=\"unwatched\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect class=\"gap-ground\" width=\"7\" height=\"7\"/>"
    "<path class=\"gap-line\" d=\"M0 0V7\"/></pattern></defs></svg>\n";

/* A page made from foreign bytes does not rely on our escaping alone. */
#define POLICY "default-src 'none'; style-src 'unsafe-inline'"

/* Hues as in the dashboard: teal leads, amber changes, red is vacant. Each has a form or a word beside it. */
#define LIGHT                                                                                                \
    "--paper:#fff;--ink:#1b2328;--soft:#5b6870;--rule:#dfe5e8;--card:#f5f8f9;--led:#3f8f8a;--shade:#7fb5b1;" \
    "--on-led:#fff;--change:#b7791f;--vacant:#d0342c;--free:#cfd8dc;--gap:#eceff1;--hatch:#b5c0c6;"          \
    "--detection:#c98a1b;--vacancy:#d0342c;--takeover:#3b76b8;--critical:#b3261e;"                           \
    "--warning:#996300;"

/* Light and dark as the reader's screen is, and black on white in print. */
static const char *const page_style[] = {
    ":root{color-scheme:light dark;" LIGHT "}\n",
    "@media (prefers-color-scheme:dark){:root{--paper:#12171a;--ink:#dde4e8;--soft:#93a1a9;--rule:#2a3339;"
    "--card:#1a2125;--led:#4f9f99;--shade:#8fc4c0;--on-led:#0c1113;--change:#f0c052;--vacant:#ff6b60;"
    "--free:#3a454c;--gap:#1d2429;--hatch:#4a575f;--detection:#e0aa45;--vacancy:#ff6b60;--takeover:#6fa8e4;"
    "--critical:#ff7a70;--warning:#f0c052;}}\n",
    "*{box-sizing:border-box}\n",
    "body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,'Segoe UI',"
    "Roboto,'Helvetica Neue','DejaVu Sans',sans-serif;font-variant-numeric:tabular-nums}\n",
    "main,header,footer{max-width:1160px;margin:0 auto;padding:0 28px}\n",
    "header{padding-top:32px}\n",
    ".brand{color:var(--soft);font-size:13px;letter-spacing:.04em}\n",
    ".brand b{color:var(--led)}\n",
    "h1{font-size:30px;line-height:1.2;margin:6px 0 4px;overflow-wrap:anywhere}\n",
    "h2{font-size:22px;margin:44px 0 2px;padding-top:20px;border-top:1px solid var(--rule);"
    "overflow-wrap:anywhere}\n",
    "h3{font-size:15px;margin:30px 0 8px}\n",
    ".note{color:var(--soft);margin:2px 0}\n",
    ".note b{color:var(--ink);font-weight:600}\n",
    "p.said{margin:10px 0;overflow-wrap:anywhere}\n",
    ".verdict{font-size:17px;line-height:1.55;max-width:76ch;margin:18px 0 4px;overflow-wrap:anywhere}\n",
    "main dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(190px,1fr));gap:12px;margin:18px 0}\n",
    "main dl div{background:var(--card);border-radius:8px;padding:12px 16px}\n",
    "main dt{color:var(--soft);font-size:12.5px;font-weight:400}\n",
    "main dd{margin:0;font-size:22px;line-height:1.3;font-weight:600;color:var(--ink)}\n",
    "main dd small{display:block;font-weight:400}\n",
    "main .critical dd{color:var(--vacant)}\n",
    "figure{margin:16px 0 0}\n",
    ".keys{color:var(--soft);font-size:12.5px;display:flex;flex-wrap:wrap;gap:4px 18px;margin:6px 0 0}\n",
    ".keys span{white-space:nowrap}\n",
    "svg{display:block;width:100%;height:auto}\n",
    ".keys svg{display:inline;width:18px;height:11px;vertical-align:-1px;margin-right:5px}\n",
    "svg text{font-size:12px;fill:var(--ink);unicode-bidi:isolate}\n",
    "svg .who{text-anchor:end;font-size:12.5px}\n",
    "svg .time,svg .zone{fill:var(--soft);font-size:11px}\n",
    "svg .time{text-anchor:middle}svg .zone{text-anchor:end}\n",
    "svg .local{opacity:.75}svg .date{font-weight:600}\n",
    "svg .rule,svg .tick,svg .day{stroke:var(--rule);stroke-width:1;fill:none}\n",
    "svg .day{stroke:var(--soft)}svg .tick{stroke-dasharray:1 3}\n",
    "svg .led{fill:var(--led)}svg .shade{fill:var(--shade)}\n",
    "svg .span{fill:var(--on-led);font-size:11px}\n",
    "svg .vacant{fill:var(--vacant)}svg .free{fill:var(--free);opacity:.7}\n",
    "svg .gap{stroke:var(--hatch);stroke-width:.5}\n",
    "svg .epoch{stroke:var(--ink);stroke-width:1.2;stroke-dasharray:1 2;fill:none}\n",
    "svg .gap-ground{fill:var(--gap)}svg .gap-line{stroke:var(--hatch);stroke-width:1.4}\n",
    "svg .unwatched{fill:var(--soft);text-anchor:middle;font-style:italic;paint-order:stroke;"
    "stroke:var(--gap);stroke-width:5px}\n",
    "svg .change path{fill:var(--change)}svg .change text{text-anchor:middle;font-size:10.5px;"
    "fill:var(--soft)}\n",
    "svg .change .thread{stroke:var(--change);stroke-width:1;stroke-dasharray:2 2;fill:none}\n",
    "svg .change .several{stroke:var(--change);stroke-width:2;fill:none}\n",
    "svg .missed path{fill:var(--paper);stroke:var(--change)}\n",
    "svg .detection{fill:var(--detection)}svg .vacancy{fill:var(--vacancy)}svg "
    ".takeover{fill:var(--takeover)}\n",
    "svg .pale{opacity:.38}svg .open{opacity:.18}\n",
    "svg .gone{stroke:var(--ink);stroke-width:1;fill:none}\n",
    "svg.phases{width:200px;height:14px}svg.line{width:320px;height:14px}\n",
    ".table{overflow-x:auto}\n",
    "table{border-collapse:collapse;width:100%;font-size:13.5px}\n",
    "th{text-align:left;font-weight:600;font-size:12px;color:var(--soft);white-space:nowrap}\n",
    "th,td{padding:5px 14px 5px 0;vertical-align:top;border-bottom:1px solid var(--rule)}\n",
    "thead th{border-bottom:1px solid var(--soft)}\n",
    "tbody th{font-size:13.5px;font-weight:500;color:var(--ink);white-space:normal;overflow-wrap:anywhere}\n",
    "td.n,th.n{text-align:right}\n",
    "td.t,td.n,tbody th.n,tbody th.t{white-space:nowrap}\n",
    "td{overflow-wrap:anywhere}.who{min-width:11em}\n",
    "tbody.pair tr:first-child td,tbody.pair tr:first-child th{border-bottom:0;padding-bottom:1px}\n",
    "tbody.pair{break-inside:avoid}\n",
    "table.figures{width:auto;min-width:min(100%,34em)}table.figures td,table.figures "
    "th.n{padding-left:14px}\n",
    "tbody th.inner{padding-left:18px;color:var(--soft)}th.group{padding-top:14px;font-weight:600}\n",
    ".held{color:var(--led)}\n",
    "small{color:var(--soft);font-size:12.5px}\n",
    "td.evidence{color:var(--soft);font-size:12.5px;padding-top:0}\n",
    ".story{margin:14px 0;max-width:86ch;overflow-wrap:anywhere}.story summary{font-weight:600}\n",
    ".story p{margin:2px 0}.story ul{margin:6px 0;padding-left:20px}.story li{margin:5px 0}\n",
    ".critical{color:var(--critical);font-weight:600}\n",
    ".warning{color:var(--warning);font-weight:600}\n",
    "a{color:inherit;text-decoration-color:var(--soft);text-underline-offset:2px}\n",
    "footer{margin-top:48px;padding-bottom:40px;color:var(--soft);font-size:12.5px}\n",
    "footer dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 14px;margin:8px 0 18px}\n",
    "footer div{display:contents}footer dt{font-weight:600}footer dd{margin:0}\n",
    ".definitions{position:absolute;width:0;height:0}\n",
    "@media (max-width:720px){main,header,footer{padding-left:14px;padding-right:14px}"
    "figure{overflow-x:auto}svg.timeline{min-width:720px}}\n",
    /* Paper does not scroll: nothing is wider than the page. */
    "@media print{:root{color-scheme:light;" LIGHT "}@page{margin:14mm}body{font-size:11px}"
    "main,header,footer{max-width:none;padding-left:0;padding-right:0}h1{font-size:22px}h2{font-size:17px;"
    "margin-top:24px;padding-top:12px}.verdict{font-size:13px;max-width:none}"
    ".table,figure{overflow:visible}svg.timeline{min-width:0}"
    "table,tbody th{font-size:10px}thead{display:table-header-group}th{white-space:normal;font-size:9.5px}"
    "th,td{padding:3px 7px 3px 0}td.n,td.t{white-space:normal}td,tbody th{overflow-wrap:break-word}"
    ".who{overflow-wrap:anywhere;min-width:13em}td.evidence{overflow-wrap:anywhere}"
    "small,td.evidence,.keys{font-size:9px}"
    "svg.phases{width:84px}svg.line{width:130px}"
    "main dl{grid-template-columns:repeat(4,1fr);gap:8px;margin:10px 0}"
    "main dl div{padding:7px 10px}main dd{font-size:15px}main dt,main dd small{font-size:10px}"
    "p.said{margin:3px 0}figure,main dl,tr,tbody.pair,p.said{break-inside:avoid}h2,h3,summary{break-after:"
    "avoid}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n",
};

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

/* Which fragments are emphasised in their block, and how. */
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
            page_markup_text(out, fragment->title);
            buffer_put_char(out, '"');
        }
        buffer_put_char(out, '>');
    }
    if (fragment->kind == FRAGMENT_DRAWING)
        buffer_put_text(out, fragment->text);
    else if (fragment->kind == FRAGMENT_BREAK)
        buffer_put_text(out, "<br/>");
    else if (fragment->kind == FRAGMENT_WORDS)
        page_markup_text(out, fragment->text);
    else
        page_put_name(out, fragment->text);
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
        page_markup_text(out, document_column_heading(doc, column, text));
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

/* Blocks that share one element. Returns the last. */
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

/* The title of the window: the heading, and the first text below it. */
static void page_put_title(struct buffer *out, const struct document *doc)
{
    for (size_t i = 0; i <= document_end(doc, 0) && i < doc->fragment_count; i++) {
        buffer_put_text(out, i == document_end(doc, 0) ? ", " : "");
        page_markup_text(out, doc->fragments[i].text);
    }
}

void document_print_page(const struct document *doc, struct buffer *out)
{
    buffer_put_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                         "<meta http-equiv=\"Content-Security-Policy\" content=\"" POLICY "\"/>\n"
                         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                         "<meta name=\"generator\" content=\"electop " ELECTOP_VERSION "\"/>\n<title>");
    page_put_title(out, doc);
    buffer_put_text(out, "</title>\n<style>\n");
    for (size_t i = 0; i < sizeof page_style / sizeof *page_style; i++)
        buffer_put_text(out, page_style[i]);
    buffer_put_text(out, "</style>\n</head>\n<body>\n");
    buffer_put_text(out, page_pattern);
    buffer_printf(out, "<header>\n<p class=\"brand\"><b>electop</b> %s</p>\n", doc->brand);
    for (size_t i = 0; i < doc->block_count; i++)
        i = page_put_block(out, doc, i);
    buffer_put_text(out, "</footer>\n</body>\n</html>\n");
}
