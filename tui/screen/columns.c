#include "tui/screen/columns.h"

#include <stddef.h>
#include <stdio.h>

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

/* Widens the shown columns towards their goals; returns the rest. */
static int widen(struct column *columns, int count, int spare)
{
    while (spare > 0) {
        struct column *next = NULL;
        int more;

        for (int i = 0; i < count; i++)
            if (columns[i].width > 0 && columns[i].width < column_goal(&columns[i]) &&
                (next == NULL || columns[i].importance > next->importance))
                next = &columns[i];
        if (next == NULL)
            break;
        more = column_goal(next) - next->width;
        if (more > spare)
            more = spare;
        next->width += more;
        spare -= more;
    }
    return spare;
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
