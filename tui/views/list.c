#include "tui/views/list.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"

void list_begin(struct list *list, size_t count, size_t rows)
{
    list->count = count;
    list->rows = rows;
}

void list_begin_scrolled(struct list *list, size_t count, size_t rows)
{
    list_begin(list, count, rows);
    if (list->top + rows > count)
        list->top = count > rows ? count - rows : 0;
}

void list_found(struct list *list, size_t at)
{
    list->at = at;
    list_show(list);
}

void list_lost(struct list *list)
{
    if (list->key != NULL) {
        free(list->gone);
        list->gone = list->key;
        list->key = NULL;
    }
    list_show(list);
}

void list_returned(struct list *list)
{
    free(list->key);
    list->key = list->gone;
    list->gone = NULL;
}

void list_select(struct list *list, const char *key)
{
    if (list->key != NULL && strcmp(list->key, key) == 0)
        return;
    free(list->key);
    list->key = xstrdup(key);
}

/* Looks the selected key up among all lines. */
static bool list_follow_key(struct list *list, list_key_fn key_of, const void *context)
{
    char key[LIST_KEY_BYTES];

    for (size_t i = 0; list->key != NULL && i < list->count; i++)
        if (key_of(context, i, key) && strcmp(key, list->key) == 0) {
            list_found(list, i);
            return true;
        }
    return list->key == NULL;
}

void list_select_line(struct list *list, list_key_fn key_of, const void *context)
{
    char key[LIST_KEY_BYTES];

    if (key_of(context, list->at, key))
        list_select(list, key);
}

void list_follow(struct list *list, bool hidden, list_key_fn key_of, const void *context)
{
    if (!list_follow_key(list, key_of, context)) {
        if (hidden)
            list_home(list);
        else
            list_lost(list);
    }
    list_show(list);
    if (list->key == NULL)
        list_select_line(list, key_of, context);
}

void list_mark_row(struct cells *cells, int y, int width)
{
    cells_put(cells, 0, y, 1, ROLE_ACCENT, cells_sign(cells, SIGN_SELECTED));
    cells_select_row(cells, y, 0, width);
}

void list_show(struct list *list)
{
    if (list->at >= list->count)
        list->at = list->count == 0 ? 0 : list->count - 1;
    if (list->rows == 0) {
        list->top = list->at;
        return;
    }
    if (list->top > list->at)
        list->top = list->at;
    if (list->at - list->top >= list->rows)
        list->top = list->at - list->rows + 1;
    /* After a list has shrunk no line stays empty while others are above. */
    list_begin_scrolled(list, list->count, list->rows);
}

bool list_move(struct list *list, enum action action)
{
    size_t page = list->rows > 1 ? list->rows - 1 : 1, half = list->rows > 1 ? list->rows / 2 : 1;
    size_t last = list->count == 0 ? 0 : list->count - 1;

    switch (action) {
    case ACTION_UP:
        list->at -= list->at > 0;
        break;
    case ACTION_DOWN:
        list->at += list->at < last;
        break;
    case ACTION_PAGE_UP:
        list->at -= list->at < page ? list->at : page;
        break;
    case ACTION_PAGE_DOWN:
        list->at = last - list->at < page ? last : list->at + page;
        break;
    case ACTION_HALF_UP:
        list->at -= list->at < half ? list->at : half;
        break;
    case ACTION_HALF_DOWN:
        list->at = last - list->at < half ? last : list->at + half;
        break;
    case ACTION_FIRST:
        list->at = 0;
        break;
    case ACTION_LAST:
        list->at = last;
        break;
    default:
        return false;
    }
    free(list->gone);
    list->gone = NULL;
    list_show(list);
    return true;
}

bool list_scroll(struct list *list, enum action action)
{
    size_t most = list->count > list->rows ? list->count - list->rows : 0;
    struct list lines = {.at = list->top < most ? list->top : most, .rows = list->rows, .count = most + 1};

    if (!list_move(&lines, action))
        return false;
    list->top = lines.at;
    return true;
}

void list_walk(struct list *list, bool forwards)
{
    if (forwards && list->at + 1 >= list->count)
        list_move(list, ACTION_FIRST);
    else if (!forwards && list->at == 0)
        list_move(list, ACTION_LAST);
    else
        list_move(list, forwards ? ACTION_DOWN : ACTION_UP);
}

size_t list_line_at(const struct list *list, int first_y, int y)
{
    size_t row = y < first_y ? SIZE_MAX : (size_t)(y - first_y);

    return row < list->rows && list->top + row < list->count ? list->top + row : SIZE_MAX;
}

size_t list_clicked(struct list *list, int first_y, int y, bool twice)
{
    size_t line = list_line_at(list, first_y, y);

    if (twice && list->clicked == y + 1)
        return list->gone == NULL && list->at < list->count ? list->at : SIZE_MAX;
    list->clicked = line == SIZE_MAX ? 0 : y + 1;
    return line;
}

bool list_click(struct list *list, int first_y, int y, bool twice, list_key_fn key_of, const void *context)
{
    size_t line = list_clicked(list, first_y, y, twice);

    if (line == SIZE_MAX)
        return false;
    list->at = line;
    list_select_line(list, key_of, context);
    return true;
}

void list_home(struct list *list)
{
    free(list->key);
    list->key = NULL;
    list->at = list->top = 0;
}

void list_put_more(const struct list *list, struct cells *cells, int y)
{
    size_t below = list->count > list->top + list->rows ? list->count - list->top - list->rows : 0;
    char text[64];

    if (list->rows == 0 || (below == 0 && list->top == 0))
        return;
    if (list->top == 0)
        snprintf(text, sizeof text, " %zu more below ", below);
    else if (below == 0)
        snprintf(text, sizeof text, " %zu more above ", list->top);
    else
        snprintf(text, sizeof text, " %zu more above, %zu below ", list->top, below);
    cells_put_right(cells, cells->width - 1, y, (int)strlen(text), ROLE_ACCENT, text);
}

void list_release(struct list *list)
{
    free(list->key);
    free(list->gone);
    *list = (struct list){0};
}
