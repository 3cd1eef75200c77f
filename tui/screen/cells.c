#include "tui/screen/cells.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "tui/screen/safe.h"

/* Larger than any screen, and small enough that no product of two overflows. */
#define SIDE_MOST 10000

static const struct {
    const char *utf8, *ascii;
} signs[SIGN_COUNT] = {
    [SIGN_OK] = {"●", "o"},         [SIGN_WARNING] = {"▲", "!"},      [SIGN_CRITICAL] = {"✖", "X"},
    [SIGN_INFO] = {"·", "."},       [SIGN_UNKNOWN] = {"?", "?"},      [SIGN_LEADER] = {"★", "*"},
    [SIGN_SELECTED] = {"▸", ">"},   [SIGN_CHAIN] = {"│", "|"},        [SIGN_CHAIN_UNKNOWN] = {"╎", ":"},
    [SIGN_CHAIN_CUT] = {"✖", "X"},  [SIGN_CHAIN_WRONG] = {"╮", "\\"}, [SIGN_UP] = {"↑", "^"},
    [SIGN_ARROW] = {"→", "->"},     [SIGN_DASH] = {"–", "-"},         [SIGN_ELLIPSIS] = {"…", ".."},
    [SIGN_RULE] = {"─", "-"},       [SIGN_BAR] = {"█", "#"},          [SIGN_BAR_CHANGE] = {"▌", "|"},
    [SIGN_BAR_VACANT] = {"░", "_"}, [SIGN_BAR_GAP] = {"╌", "."},      [SIGN_GAUGE_ON] = {"▰", "#"},
    [SIGN_GAUGE_OFF] = {"▱", "-"},  [SIGN_ENTER] = {"⏎", "Enter"},    [SIGN_CRUMB] = {"›", ">"},
    [SIGN_AT_MOST] = {"≤", "<="},   [SIGN_BULLET] = {"·", "-"},       [SIGN_UP_WRONG] = {"⇡", "~"},
    [SIGN_AT_LEAST] = {"≥", ">="},  [SIGN_TIMES] = {"×", "x"},        [SIGN_CHECK] = {"✔", "+"},
    [SIGN_TICK] = {"╵", "'"},       [SIGN_MOMENT] = {"┃", "I"},       [SIGN_POINTER] = {"▲", "^"},
    [SIGN_PLAY] = {"▶", ">"},       [SIGN_STOP] = {"■", "="},         [SIGN_SORT_DOWN] = {"▾", "v"},
    [SIGN_SORT_UP] = {"▴", "^"},
};

const char *cells_sign(const struct cells *cells, enum sign sign)
{
    return cells->ascii ? signs[sign].ascii : signs[sign].utf8;
}

char *cells_plain(const struct cells *cells, char *text)
{
    static const enum sign in_sentences[] = {SIGN_DASH,  SIGN_AT_MOST, SIGN_AT_LEAST,
                                             SIGN_ARROW, SIGN_BULLET,  SIGN_ELLIPSIS};
    for (size_t i = 0; cells->ascii && i < sizeof in_sentences / sizeof *in_sentences; i++) {
        const char *sign = signs[in_sentences[i]].utf8, *plain = signs[in_sentences[i]].ascii;
        size_t length = strlen(plain);
        for (char *at = text; (at = strstr(at, sign)) != NULL; at += length) {
            const char *rest = at + strlen(sign);
            memcpy(at, plain, length);
            memmove(at + length, rest, strlen(rest) + 1);
        }
    }
    return text;
}

static void blank(struct cell *cell, style look)
{
    memset(cell, 0, sizeof(*cell));
    cell->text[0] = ' ';
    cell->width = 1;
    cell->style = look;
}

const char *cells_bar(const struct cells *cells, unsigned mask)
{
    static const char *const from_left[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
    unsigned eighths = 0;
    for (unsigned i = 0; i < CELL_EIGHTHS; i++)
        eighths += mask >> i & 1;
    if (cells->ascii)
        return eighths == 0 ? " " : eighths < CELL_EIGHTHS / 2 ? "|" : "#";
    bool reaches_right_only = (mask & 1) == 0 && mask >> (CELL_EIGHTHS - 1) & 1;
    if (!reaches_right_only)
        return from_left[eighths];
    /* From the right there are only these. */
    return eighths > 6 ? "█" : eighths > 2 ? "▐" : "▕";
}

const char *cells_level(const struct cells *cells, unsigned eighths)
{
    static const char *const levels[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[] = {" ", "_", ".", "-", "=", "+", "*", "%", "#"};
    unsigned level = eighths > CELL_EIGHTHS ? CELL_EIGHTHS : eighths;
    return cells->ascii ? ascii[level] : levels[level];
}

struct cells *cells_new(int width, int height)
{
    struct cells *cells = xcalloc(1, sizeof(*cells));
    cells_resize(cells, width, height);
    return cells;
}

void cells_free(struct cells *cells)
{
    if (!cells)
        return;
    free(cells->at);
    free(cells);
}

void cells_resize(struct cells *cells, int width, int height)
{
    width = width < 0 ? 0 : width > SIDE_MOST ? SIDE_MOST : width;
    height = height < 0 ? 0 : height > SIDE_MOST ? SIDE_MOST : height;
    size_t count = (size_t)width * (size_t)height;
    struct cell *at = xcalloc(count, sizeof(*at));
    free(cells->at);
    cells->at = at;
    cells->width = width;
    cells->height = height;
    cells_clear(cells);
}

void cells_clear(struct cells *cells)
{
    size_t count = (size_t)cells->width * (size_t)cells->height;
    for (size_t i = 0; i < count; i++)
        blank(&cells->at[i], ROLE_TEXT);
    cells->cursor_x = cells->cursor_y = -1;
}

static struct cell *cells_cell_at(struct cells *cells, int x, int y)
{
    return &cells->at[(size_t)y * (size_t)cells->width + (size_t)x];
}

/* Makes a column free to be written: half a wide character must never stay behind. */
static void open_column(struct cells *cells, int x, int y)
{
    struct cell *cell = cells_cell_at(cells, x, y);
    if (cell->width == 0 && x > 0)
        blank(cells_cell_at(cells, x - 1, y), cells_cell_at(cells, x - 1, y)->style);
    if (cell->width == 2 && x + 1 < cells->width)
        blank(cells_cell_at(cells, x + 1, y), cells_cell_at(cells, x + 1, y)->style);
}

static void set_cell(struct cells *cells, int x, int y, style look, const char *unit, int width)
{
    for (int i = 0; i < width; i++)
        open_column(cells, x + i, y);
    struct cell *cell = cells_cell_at(cells, x, y);
    memset(cell, 0, sizeof(*cell));
    memcpy(cell->text, unit, strlen(unit));
    cell->width = (uint8_t)width;
    cell->style = look;
    if (width == 2) {
        struct cell *right = cells_cell_at(cells, x + 1, y);
        memset(right, 0, sizeof(*right));
        right->style = look;
    }
}

/*
 * Puts columns from .. of a text into the span [x, end); columns left of the grid are only counted.
 * Returns the columns used; *rest says whether something did not fit.
 */
static int put_units(struct cells *cells, int x, int y, int end, style look, const char *text, size_t length,
                     bool *rest)
{
    int at = x, width;
    char unit[SAFE_UNIT];
    *rest = false;
    for (size_t eaten; (eaten = safe_unit(text, length, cells->ascii, unit, &width)) > 0;
         text += eaten, length -= eaten) {
        if (width > 2) { /* an escape: every column of it is a separate character, and may be cut */
            for (const char *c = unit; *c; c++, at++) {
                if (at >= end) {
                    *rest = true;
                    return at - x;
                }
                if (at >= 0)
                    set_cell(cells, at, y, look, (char[]){*c, '\0'}, 1);
            }
            continue;
        }
        if (width > end - at) {
            *rest = true;
            return at - x;
        }
        if (at >= 0)
            set_cell(cells, at, y, look, unit, width);
        else if (at + width > 0) /* the right half of a wide character at the edge */
            set_cell(cells, 0, y, look, " ", 1);
        at += width;
    }
    return at - x;
}

int cells_put_bytes(struct cells *cells, int x, int y, int room, style look, const char *text, size_t length)
{
    if (y < 0 || y >= cells->height || x >= cells->width || room == 0 || x < -SIDE_MOST)
        return 0;
    int end = room < 0 || room > cells->width - x ? cells->width : x + room;
    if (end <= 0)
        return 0;
    bool rest;
    int used = put_units(cells, x, y, end, look, text, length, &rest);
    if (!rest)
        return used;
    const char *dots = cells_sign(cells, SIGN_ELLIPSIS);
    int dots_width = cells_width(cells, dots);
    /* A wide character that did not fit leaves a column; one that is cut by the ellipsis leaves another. */
    for (int i = x + used; i < end; i++)
        if (i >= 0)
            set_cell(cells, i, y, look, " ", 1);
    int at = end - dots_width;
    if (at < x || at < 0)
        at = x < 0 ? 0 : x;
    if (end - at >= dots_width)
        put_units(cells, at, y, end, look, dots, strlen(dots), &rest);
    else /* half an ellipsis would be a dot of the text */
        for (; at < end; at++)
            set_cell(cells, at, y, look, " ", 1);
    return end - x;
}

int cells_put(struct cells *cells, int x, int y, int room, style look, const char *text)
{
    return cells_put_bytes(cells, x, y, room, look, text, strlen(text));
}

int cells_printf(struct cells *cells, int x, int y, int room, style look, const char *format, ...)
{
    char buffer[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof(buffer), format, arguments);
    va_end(arguments);
    return cells_put(cells, x, y, room, look, buffer);
}

int cells_width(const struct cells *cells, const char *text)
{
    return text ? safe_width(text, strlen(text), cells->ascii) : 0;
}

int cells_put_right(struct cells *cells, int right, int y, int room, style look, const char *text)
{
    if (room < 0)
        room = right;
    int width = cells_width(cells, text);
    if (width > room)
        width = room;
    return width <= 0 ? 0 : cells_put(cells, right - width, y, width, look, text);
}

void cells_title_row(struct cells *cells, int y)
{
    for (int x = 0; y >= 0 && y < cells->height && x < cells->width; x++)
        cells_cell_at(cells, x, y)->style |= STYLE_TITLE;
}

void cells_select_row(struct cells *cells, int y, int x, int width)
{
    if (y < 0 || y >= cells->height)
        return;
    int end = width < 0 || width > cells->width - x ? cells->width : x + width;
    for (int i = x < 0 ? 0 : x; i < end; i++)
        cells_cell_at(cells, i, y)->style |= STYLE_SELECTED;
}

void cells_fill(struct cells *cells, int x, int y, int width, style look)
{
    if (y < 0 || y >= cells->height)
        return;
    int end = width < 0 || width > cells->width - x ? cells->width : x + width;
    for (int i = x < 0 ? 0 : x; i < end; i++)
        set_cell(cells, i, y, look, " ", 1);
}

void cells_rule(struct cells *cells, int x, int y, int width, const char *caption)
{
    if (y < 0 || y >= cells->height)
        return;
    int end = width < 0 || width > cells->width - x ? cells->width : x + width;
    for (int i = x < 0 ? 0 : x; i < end; i++)
        set_cell(cells, i, y, ROLE_RULE, cells_sign(cells, SIGN_RULE), 1);
    /* "- events ---": a piece of the rule on both sides, or no caption. */
    int room = end - x - 4;
    if (!caption || room < 1)
        return;
    int used = cells_put(cells, x + 2, y, room, ROLE_HEADING, caption);
    cells_fill(cells, x + 1, y, 1, ROLE_RULE);
    cells_fill(cells, x + 2 + used, y, 1, ROLE_RULE);
}

struct cells *cells_part(const struct cells *cells, int width, int height)
{
    if (width <= 0 || height <= 0)
        return NULL;
    struct cells *part = cells_new(width, height);
    part->ascii = cells->ascii;
    cells_clear(part);
    return part;
}

void cells_paste(struct cells *cells, int x, int y, struct cells *part)
{
    int width = part && x >= 0 && x + part->width <= cells->width ? part->width : 0;
    for (int row = 0; width > 0 && row < part->height && y + row < cells->height; row++)
        if (y + row >= 0)
            memcpy(cells_cell_at(cells, x, y + row), cells_cell_at(part, 0, row),
                   (size_t)width * sizeof(struct cell));
    cells_free(part);
}

void cells_text(const struct cells *cells, struct text *out)
{
    for (int y = 0; y < cells->height; y++) {
        const struct cell *row = &cells->at[(size_t)y * (size_t)cells->width];
        int end = cells->width;
        while (end > 0 && row[end - 1].width == 1 && strcmp(row[end - 1].text, " ") == 0)
            end--;
        for (int x = 0; x < end; x++)
            text_add(out, row[x].text);
        text_add(out, "\n");
    }
}
