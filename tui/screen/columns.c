#include "tui/screen/columns.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tui/screen/safe.h"

#define FAIR 45 /* columns that each may have before others have what they want: two names of a pod */

static int columns_needed(const struct column *columns, int count, int gap)
{
    int sum = 0;

    for (int i = 0; i < count; i++)
        if (columns[i].width > 0)
            sum += columns[i].width + (sum > 0 ? gap : 0);
    return sum;
}

static void drop_least_important(struct column *columns, int count)
{
    struct column *least = NULL;

    for (int i = 0; i < count; i++)
        if (columns[i].width > 0 && (least == NULL || columns[i].importance <= least->importance))
            least = &columns[i];
    if (least != NULL)
        least->width = 0;
}

static int column_goal(const struct column *column)
{
    int goal = column->want > 0 && column->want < column->most ? column->want : column->most;

    return goal < column->least ? column->least : goal;
}

static int goal_within(const struct column *column, int most)
{
    int goal = column_goal(column);

    return goal < most ? goal : most;
}

/* Widens the shown columns towards their goals, of at most so many columns each; returns the rest. */
static int widen_to(struct column *columns, int count, int spare, int most, bool fillers)
{
    while (spare > 0) {
        struct column *next = NULL;
        int more;

        for (int i = 0; i < count; i++)
            if (columns[i].width > 0 && columns[i].filler <= fillers &&
                columns[i].width < goal_within(&columns[i], most) &&
                (next == NULL || columns[i].importance > next->importance))
                next = &columns[i];
        if (next == NULL)
            break;
        more = goal_within(next, most) - next->width;
        if (more > spare)
            more = spare;
        next->width += more;
        spare -= more;
    }
    return spare;
}

/* A long text of one row leaves the others the room for theirs. */
static int widen(struct column *columns, int count, int spare)
{
    spare = widen_to(columns, count, spare, FAIR, false);
    spare = widen_to(columns, count, spare, INT_MAX, false);
    return widen_to(columns, count, spare, INT_MAX, true);
}

static struct column *most_important_absentee(struct column *columns, int count, int spare)
{
    struct column *next = NULL;

    for (int i = 0; i < count; i++)
        if (columns[i].optional && !columns[i].hidden && columns[i].width == 0 && columns[i].least <= spare &&
            (next == NULL || columns[i].importance > next->importance))
            next = &columns[i];
    return next;
}

int columns_lay(struct column *columns, int count, int x, int width, int gap)
{
    struct column *next;
    int spare;

    for (int i = 0; i < count; i++)
        columns[i].width = columns[i].hidden || columns[i].optional ? 0 : columns[i].least;
    while ((spare = width - columns_needed(columns, count, gap)) < 0)
        drop_least_important(columns, count);
    spare = widen(columns, count, spare);
    while ((next = most_important_absentee(columns, count, spare - gap)) != NULL) {
        next->width = next->least;
        spare = widen(columns, count, spare - gap - next->least);
    }
    for (int i = 0; i < count; i++) {
        columns[i].x = x;
        if (columns[i].width > 0)
            x += columns[i].width + gap;
    }
    return spare;
}

void columns_want(struct column *column, int width)
{
    if (width > column->want)
        column->want = width;
}

void columns_keep(struct column *column, int least, int most)
{
    column->least = column->want < least ? least : column->want > most ? most : column->want;
}

void columns_head(struct cells *cells, const struct column *columns, int count, int y, int sorted,
                  bool reversed)
{
    char heading[40];

    for (int i = 0; i < count; i++) {
        bool is_sorted = i == sorted && columns[i].heading[0] != '\0';

        snprintf(heading, sizeof heading, "%s%s", columns[i].heading,
                 !is_sorted ? "" : cells_sign(cells, reversed ? SIGN_SORT_UP : SIGN_SORT_DOWN));
        columns_put(cells, &columns[i], y, is_sorted ? (style)(ROLE_HEADING | STYLE_BOLD) : ROLE_HEADING,
                    heading);
    }
}

int columns_put(struct cells *cells, const struct column *column, int y, style look, const char *text)
{
    if (column->width <= 0)
        return 0;
    if (column->right)
        return cells_put_right(cells, column->x + column->width, y, column->width, look, text);
    return cells_put(cells, column->x, y, column->width, look, text);
}

/* A short unit, which belongs to the number before it: "12.0 s". */
static bool begins_with_unit(const char *text)
{
    size_t length = strcspn(text, " ");

    while (length > 0 && ispunct((unsigned char)text[length - 1]))
        length--;
    return (length == 1 && *text == 's') || (length == 2 && strncmp(text, "ms", 2) == 0);
}

size_t columns_first_line(const struct cells *cells, int width, const char *text)
{
    size_t length = strlen(text), at = 0, word = 0;
    int used = 0;

    while (at < length) {
        char unit[SAFE_UNIT];
        int columns;
        size_t eaten = safe_unit(text + at, length - at, cells->ascii, unit, &columns);

        if (used + columns > width)
            return word > 0 ? word : at > 0 ? at : eaten;
        used += columns;
        at += eaten;
        bool number = isdigit((unsigned char)text[at - 1]);
        if ((text[at] == ' ' && !(number && begins_with_unit(text + at + 1))) || text[at] == '\0')
            word = at;
    }
    return length;
}

static const char *next_line(const char *text, size_t length)
{
    text += length;
    while (*text == ' ')
        text++;
    return text;
}

int columns_wrap_lines(const struct cells *cells, int width, const char *text)
{
    int lines = 0;

    for (; *text != '\0' && width > 0; lines++)
        text = next_line(text, columns_first_line(cells, width, text));
    return lines;
}

int columns_wrap_end(const struct cells *cells, int width, const char *text)
{
    const char *line = text;

    while (*text != '\0' && width > 0) {
        line = text;
        text = next_line(text, columns_first_line(cells, width, text));
    }
    return cells_width(cells, line);
}

int columns_wrap_put(struct cells *cells, int x, int y, int width, int rows, style look, const char *text)
{
    int used = 0;

    while (*text != '\0' && used < rows && width > 0) {
        size_t length = columns_first_line(cells, width, text);
        bool last = used + 1 == rows;

        cells_put_bytes(cells, x, y + used, width, look, text, last ? strlen(text) : length);
        text = next_line(text, length);
        used++;
    }
    return used;
}

int columns_wrap_printf(struct cells *cells, int x, int y, style look, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return columns_wrap_put(cells, x, y, cells->width - x - 1, cells->height - y, look, text);
}
