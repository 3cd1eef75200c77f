/*
 * list.h - scrolling and selection in a list of named items.
 *
 * The selection belongs to the item, not to its line: a view looks up the key again at every draw and passes
 * its present line to the list. If the item is gone, the line is kept, and the item on that line is selected;
 * list.gone keeps the old key until the user moves on.
 *
 * At every draw: list_begin(), then list_follow(), or what it consists of: list_found() or list_lost(), and
 * list_select() for the item at list.at; then draw lines top .. top + rows.
 */
#ifndef ELECTOP_TUI_VIEWS_LIST_H
#define ELECTOP_TUI_VIEWS_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/screen/cells.h"
#include "tui/screen/key_bindings.h"

struct list {
    char *key;    /* of the selected item; NULL: nothing selected yet */
    char *gone;   /* key of a selected item that is gone, until the next move; or NULL */
    size_t at;    /* its line */
    size_t top;   /* the first line shown */
    size_t rows;  /* lines shown at the last draw */
    size_t count; /* the number of lines at the last draw */
    int clicked;  /* the row of the latest click on a line, counted from 1; 0: none */
};

/* Sets the number of lines, and how many fit. */
void list_begin(struct list *list, size_t count, size_t rows);

/* The same for one that only scrolls: no line stays empty while others are above. */
void list_begin_scrolled(struct list *list, size_t count, size_t rows);

/* The key is on this line now. */
void list_found(struct list *list, size_t at);

/* The key does not exist any more: keeps the line. */
void list_lost(struct list *list);

/* The item that was lost is there again, and is selected; its line is looked for next. */
void list_returned(struct list *list);

/* A line's key; false: it cannot be selected. */
#define LIST_KEY_BYTES 4096
typedef bool (*list_key_fn)(const void *context, size_t line, char key[LIST_KEY_BYTES]);

/* Selects the line at list.at. */
void list_select_line(struct list *list, list_key_fn key_of, const void *context);

/* The selection's line is list.at afterwards; hidden: an item that is not there may only be hidden, by a filter. */
void list_follow(struct list *list, bool hidden, list_key_fn key_of, const void *context);

/* Marks row y of the screen as selected, up to this column. */
void list_mark_row(struct cells *cells, int y, int width);

/* Remembers the selection (at line list.at). */
void list_select(struct list *list, const char *key);

/* Scrolls list.at into view. */
void list_show(struct list *list);

/*
 * Moves by one of the move actions; true: it was one. The caller then selects the item at list.at. A move
 * without effect also returns true.
 */
bool list_move(struct list *list, enum action action);

/* The same for a list without a selection: list.top moves. */
bool list_scroll(struct list *list, enum action action);

/* To the next or previous line; wraps around at the ends. */
void list_walk(struct list *list, bool forwards);

/* The line at row y, if the first visible line is at first_y; SIZE_MAX: none. */
size_t list_line_at(const struct list *list, int first_y, int y);

/*
 * The line that a click on row y means: of the second click of a double one that of the first, which is selected,
 * wherever it is now; SIZE_MAX: none.
 */
size_t list_clicked(struct list *list, int first_y, int y, bool twice);

/* Selects it; false: there is none. */
bool list_click(struct list *list, int first_y, int y, bool twice, list_key_fn key_of, const void *context);

/* Forgets the selection: the first line is selected again, with any item. */
void list_home(struct list *list);

/* Shows at the end of row y how many lines are above and below the visible ones; nothing if all are visible.
 */
void list_put_more(const struct list *list, struct cells *cells, int y);

void list_release(struct list *list);

#endif
