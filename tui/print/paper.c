#include "tui/print/paper.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tui/text/safe.h"

/* Columns below which prose is left to the terminal. */
#define PROSE_LEAST 20

/* Nobody asks terminfo here: a pipe has none, and what is not named well has eight colours. */
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
    struct print_style how = {.named = options->path_count > 0, .settings = settings};
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

bool paper_begin(struct paper *paper, struct buffer *out, const struct print_style *how)
{
    *paper = (struct paper){.out = out, .style = *how, .row = cells_new(PAPER_WIDTH, 1)};
    if (!paper->row)
        return false;
    paper->row->ascii = how->ascii;
    cells_clear(paper->row);
    return true;
}

void paper_end(struct paper *paper)
{
    cells_free(paper->row);
    paper->row = NULL;
}

bool paper_width(struct paper *paper, int width)
{
    if (!cells_resize(paper->row, width, 1))
        return false;
    cells_clear(paper->row);
    return true;
}

int paper_put(struct paper *paper, int x, style look, const char *text)
{
    return x + cells_put(paper->row, x, 0, -1, look, text);
}

int paper_put_sign(struct paper *paper, int x, style look, enum sign sign)
{
    return paper_put(paper, x, look, cells_sign(paper->row, sign)) + 1;
}

int paper_put_bullet(struct paper *paper, int x)
{
    return paper_put_sign(paper, x + 1, ROLE_DIM, SIGN_BULLET);
}

int paper_text_width(const struct paper *paper, const char *text)
{
    return safe_width(text, strlen(text), paper->row->ascii);
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

static bool is_plain(const struct paint *paint)
{
    return paint->fg == PAINT_DEFAULT && paint->bg == PAINT_DEFAULT && !paint->bold && !paint->dim &&
           !paint->reverse && !paint->underline;
}

static bool is_blank(const struct cell *cell)
{
    return cell->text[0] == ' ' && !cell->text[1];
}

/* The columns from x to end, as text without a line's end; now and painted: in which style the output is. */
static void put_cells(struct paper *paper, int x, int end, style *now, bool *painted)
{
    struct cells *row = paper->row;
    bool mono = paper->style.theme.depth == DEPTH_MONO;
    for (; x < end; x++) {
        const struct cell *cell = &row->at[x];
        /* A blank looks the same in every style that prints use: it changes nothing. */
        if (!mono && cell->style != *now && !is_blank(cell)) {
            struct paint paint = theme_paint(paper->style.theme, cell->style);
            *now = cell->style;
            if (!is_plain(&paint) || *painted)
                put_paint(paper->out, &paint, paper->style.theme.depth);
            *painted = !is_plain(&paint);
        }
        buffer_put_text(paper->out, cell->text);
    }
}

static int row_end(const struct cells *row)
{
    int end = row->width;
    while (end > 0 && is_blank(&row->at[end - 1]))
        end--;
    return end;
}

static void finish(struct paper *paper, int end, bool painted)
{
    if (painted)
        buffer_put_text(paper->out, "\x1b[0m");
    buffer_put_char(paper->out, '\n');
    cells_fill(paper->row, 0, 0, end, ROLE_TEXT);
}

void paper_line(struct paper *paper)
{
    int end = row_end(paper->row);
    bool painted = false;
    style now = ROLE_TEXT;
    put_cells(paper, 0, end, &now, &painted);
    finish(paper, end, painted);
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

void paper_prose(struct paper *paper)
{
    const struct cells *row = paper->row;
    int end = row_end(row), x = 0, indent = 0, width = paper->style.width;
    bool painted = false;
    style now = ROLE_TEXT;
    while (indent < end && is_blank(&row->at[indent]))
        indent++;
    indent += 2; /* what goes on stands below what it belongs to */
    if (width <= indent + PROSE_LEAST)
        width = row->width; /* no room to be nice in */
    while (x < end) {
        int room = x > 0 ? width - indent : width, next = break_after(row, x, end, room);
        if (x > 0)
            buffer_printf(paper->out, "\n%*s", indent, "");
        put_cells(paper, x, next, &now, &painted);
        for (x = next; x < end && is_blank(&row->at[x]); x++)
            continue;
    }
    finish(paper, end, painted);
}
