#include "tui/output/line_printer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "probe/election/model.h"
#include "tui/screen/safe.h"
#include "tui/words/event_text.h"
#include "tui/words/format.h"

#define WHERE_LEAST 20
#define WHERE_MOST 40  /* a longer name moves the rest of its line */
#define PROSE_LEAST 20 /* columns below which prose is left to the terminal */

/* Without terminfo: a pipe has none, and an unknown terminal has eight colours. */
static int colors_of_terminal(const char *term, const char *colorterm, bool *direct)
{
    *direct = colorterm && (strcmp(colorterm, "truecolor") == 0 || strcmp(colorterm, "24bit") == 0);
    if (*direct)
        return 1 << 24;
    return term && strstr(term, "256color") ? 256 : 8;
}

static bool terminal_has_colors(int fd)
{
    const char *term = getenv("TERM");
    return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

struct print_style print_style_choose(const struct options *options, const struct settings *settings, int fd)
{
    struct print_style how = {
        .named = options->path_count > 0, .filtered = options->filter, .settings = settings};
    bool direct;
    int colors = colors_of_terminal(getenv("TERM"), getenv("COLORTERM"), &direct);
    enum color_choice color = options->color;
    if (color == COLOR_AUTO && !terminal_has_colors(fd))
        color = COLOR_NEVER;
    how.theme =
        theme_choose(settings->screen.theme, color, colors, direct, getenv("NO_COLOR"), getenv("COLORFGBG"));
    how.ascii = options->ascii || settings->screen.ascii == TRI_YES ||
                (settings->screen.ascii == TRI_AUTO && !safe_locale_is_utf8());
    struct winsize size;
    if (isatty(fd))
        how.width = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    return how;
}

void printer_begin(struct printer *printer, struct buffer *out, const struct print_style *how)
{
    *printer = (struct printer){
        .out = out, .style = *how, .row = cells_new(PRINTER_WIDTH, 1), .where_width = WHERE_LEAST};
    printer->row->ascii = how->ascii;
    cells_clear(printer->row);
}

void printer_end(struct printer *printer)
{
    cells_free(printer->row);
    printer->row = NULL;
}

void printer_width(struct printer *printer, int width)
{
    cells_resize(printer->row, width, 1);
    cells_clear(printer->row);
}

int printer_put(struct printer *printer, int x, style look, const char *text)
{
    return x + cells_put(printer->row, x, 0, -1, look, text);
}

int printer_put_sign(struct printer *printer, int x, style look, enum sign sign)
{
    return printer_put(printer, x, look, cells_sign(printer->row, sign)) + 1;
}

int printer_put_bullet(struct printer *printer, int x)
{
    return printer_put_sign(printer, x + 1, ROLE_DIM, SIGN_BULLET);
}

int printer_text_width(const struct printer *printer, const char *text)
{
    return safe_width(text, strlen(text), printer->row->ascii);
}

static void put_color(struct buffer *out, int32_t color, enum depth depth, bool background)
{
    int base = background ? 40 : 30;
    if (color == PAINT_DEFAULT)
        return;
    if (depth == DEPTH_DIRECT)
        buffer_printf(out, ";%d;2;%d;%d;%d", base + 8, (int)(color >> 16 & 255), (int)(color >> 8 & 255),
                      (int)(color & 255));
    else if (color < 8)
        buffer_printf(out, ";%d", base + (int)color);
    else if (color < 16 && depth == DEPTH_8)
        buffer_printf(out, ";%d", base + 60 + (int)color - 8);
    else
        buffer_printf(out, ";%d;5;%d", base + 8, (int)color);
}

static void put_paint(struct buffer *out, const struct paint *paint, enum depth depth)
{
    buffer_put_text(out, "\x1b[0");
    if (paint->bold)
        buffer_put_text(out, ";1");
    if (paint->dim)
        buffer_put_text(out, ";2");
    if (paint->underline)
        buffer_put_text(out, ";4");
    if (paint->reverse)
        buffer_put_text(out, ";7");
    put_color(out, paint->fg, depth, false);
    put_color(out, paint->bg, depth, true);
    buffer_put_char(out, 'm');
}

static bool line_printer_is_plain(const struct paint *paint)
{
    return paint->fg == PAINT_DEFAULT && paint->bg == PAINT_DEFAULT && !paint->bold && !paint->dim &&
           !paint->reverse && !paint->underline;
}

static bool is_blank(const struct cell *cell)
{
    return cell->text[0] == ' ' && !cell->text[1];
}

/* The columns from x to end, as text without a line's end; now and painted: in which style the output is. */
static void line_printer_put_cells(struct printer *printer, int x, int end, style *now, bool *painted)
{
    struct cells *row = printer->row;
    bool mono = printer->style.theme.depth == DEPTH_MONO;
    for (; x < end; x++) {
        const struct cell *cell = &row->at[x];
        /* A blank looks the same in every style that prints use: it changes nothing. */
        if (!mono && cell->style != *now && !is_blank(cell)) {
            struct paint paint = theme_paint(printer->style.theme, cell->style);
            *now = cell->style;
            if (!line_printer_is_plain(&paint) || *painted)
                put_paint(printer->out, &paint, printer->style.theme.depth);
            *painted = !line_printer_is_plain(&paint);
        }
        buffer_put_text(printer->out, cell->text);
    }
}

static int row_end(const struct cells *row)
{
    int end = row->width;
    while (end > 0 && is_blank(&row->at[end - 1]))
        end--;
    return end;
}

static void line_printer_finish(struct printer *printer, int end, bool painted)
{
    if (painted)
        buffer_put_text(printer->out, "\x1b[0m");
    buffer_put_char(printer->out, '\n');
    cells_fill(printer->row, 0, 0, end, ROLE_TEXT);
}

void printer_line(struct printer *printer)
{
    int end = row_end(printer->row);
    bool painted = false;
    style now = ROLE_TEXT;
    line_printer_put_cells(printer, 0, end, &now, &painted);
    line_printer_finish(printer, end, painted);
}

/* Where a line that begins at x ends: behind a word, or, where one is longer than a line, in it. */
static int break_after(const struct cells *row, int x, int end, int width)
{
    int at = x + width;
    if (at >= end)
        return end;
    while (at > x && !is_blank(&row->at[at]))
        at--;
    if (at > x)
        return at;
    at = x + width;
    while (at > x + 1 && row->at[at].text[0] == '\0') /* the right half of a wide character */
        at--;
    return at;
}

void printer_prose(struct printer *printer)
{
    const struct cells *row = printer->row;
    int end = row_end(row), x = 0, indent = 0, width = printer->style.width;
    bool painted = false;
    style now = ROLE_TEXT;
    while (indent < end && is_blank(&row->at[indent]))
        indent++;
    indent += 2; /* continuation lines are indented below their first line */
    if (width <= indent + PROSE_LEAST)
        width = row->width; /* no room to be nice in */
    while (x < end) {
        int room = x > 0 ? width - indent : width, next = break_after(row, x, end, room);
        if (x > 0)
            buffer_printf(printer->out, "\n%*s", indent, "");
        line_printer_put_cells(printer, x, next, &now, &painted);
        for (x = next; x < end && is_blank(&row->at[x]); x++)
            continue;
    }
    line_printer_finish(printer, end, painted);
}

int printer_table_wants(const struct column *columns, int count)
{
    int width = 0;
    for (int i = 0; i < count; i++)
        if (!columns[i].hidden)
            width += (columns[i].want > columns[i].least ? columns[i].want : columns[i].least) + TABLE_GAP;
    return width;
}

void printer_table_want_headings(const struct printer *printer, struct column *columns, int count)
{
    for (int i = 0; i < count; i++)
        columns_want(&columns[i], printer_text_width(printer, columns[i].heading));
}

void printer_table_begin(struct printer *printer, struct column *columns, int count, int x)
{
    printer_table_want_headings(printer, columns, count);
    int width = printer->style.width ? printer->style.width - x : printer_table_wants(columns, count);
    width = width < 0 ? 0 : width;
    printer_width(printer, width + x);
    columns_lay(columns, count, x, width, TABLE_GAP);
    columns_head(printer->row, columns, count, 0, -1, false);
    if (row_end(printer->row) > 0)
        printer_line(printer);
}

#define CLOCK_WIDTH 12 /* 14:01:02.522 */
#define CLUSTER_WIDTH 8
#define GAP 2

/* Writes text at x in a column of at least width; where the next column begins. */
static int put_column(struct cells *row, int x, int width, style look, const char *text)
{
    int used = cells_put(row, x, 0, -1, look, text);
    return x + (used > width ? used : width) + GAP;
}

static int put_clock(struct cells *row, struct moment at)
{
    char clock[32];
    return put_column(row, 0, CLOCK_WIDTH, ROLE_DIM, format_clock_ms(at.wall_us, clock, sizeof clock));
}

void event_line_fit(struct printer *printer, const struct model *model)
{
    size_t elections = 1;
    for (size_t i = 0; i < model->cluster_count; i++)
        elections += model->clusters[i].election_count;
    if (elections == printer->where_elections)
        return;
    printer->where_elections = elections;
    for (size_t i = 0; i < model->cluster_count; i++)
        for (size_t j = 0; j < model->clusters[i].election_count; j++) {
            const char *name = model->clusters[i].elections[j]->name;
            int wanted = name ? safe_width(name, strlen(name), printer->row->ascii) : 0;
            wanted = wanted < WHERE_MOST ? wanted : WHERE_MOST;
            printer->where_width = wanted > printer->where_width ? wanted : printer->where_width;
        }
}

void event_line_print(struct printer *printer, const struct event *event, bool with_cluster)
{
    struct cells *row = printer->row;
    struct event_words words;
    event_text(event, &words);
    int x = put_clock(row, event->at);
    bool about_cluster = !event->election;
    if (with_cluster && event->cluster)
        x = put_column(row, x, CLUSTER_WIDTH, ROLE_DIM, event->cluster->name);
    x = put_column(row, x, printer->where_width, ROLE_STRONG,
                   with_cluster && about_cluster ? "" : words.where);
    x = put_column(row, x, EVENT_LABEL_WIDTH, words.role, words.label);
    if (words.from[0]) {
        x += cells_put(row, x, 0, -1, ROLE_TEXT, words.from) + 1;
        x += cells_put(row, x, 0, -1, ROLE_DIM, cells_sign(row, SIGN_ARROW)) + 1;
    }
    if (words.subject[0])
        x = put_column(row, x, 0, ROLE_TEXT, words.subject);
    cells_put(row, x, 0, -1, ROLE_DIM, words.detail);
    printer_line(printer);
}

void event_line_print_dropped(struct printer *printer, struct moment at, uint64_t dropped)
{
    struct cells *row = printer->row;
    int x = put_column(row, put_clock(row, at), printer->where_width, ROLE_STRONG, "");
    x = put_column(row, x, EVENT_LABEL_WIDTH, ROLE_WARNING, "not shown");
    cells_printf(row, x, 0, -1, ROLE_TEXT, "%" PRIu64 " line%s read too slowly", dropped,
                 dropped == 1 ? ": it was" : "s: they were");
    printer_line(printer);
}
