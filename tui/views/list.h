/*
 * list.h - scrolling and selection in a list of named things.
 *
 * The selection belongs to the thing, not to its line: a view looks the key up again at every draw and
 * tells the list where it stands now. When it is gone the place is kept, and what stands there now is
 * selected; list.gone names what left until the user moves on.
 *
 * At every draw: list_begin(), then list_found() or list_lost(), list_select() for what stands at list.at,
 * then draw lines top .. top + rows.
 */
#ifndef ELECTOP_TUI_VIEWS_LIST_H
#define ELECTOP_TUI_VIEWS_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/screen/cells.h"
#include "tui/screen/keys.h"

struct list {
    char *key;    /* of the selected thing; NULL: nothing chosen yet */
    char *gone;   /* key of what was selected and left, until the next move; or NULL */
    size_t at;    /* its line */
    size_t top;   /* the first line shown */
    size_t rows;  /* lines shown at the last draw */
    size_t count; /* lines there are, at the last draw */
};

/* Says how many lines there are and how many fit. */
void list_begin(struct list *, size_t count, size_t rows);

/* The key stands at this line now. */
void list_found(struct list *, size_t at);

/* The key does not exist any more: keeps the place. */
void list_lost(struct list *);

/* Remembers what is selected (at line list.at). Out of memory leaves the line selected without a name. */
void list_select(struct list *, const char *key);

/* Brings list.at into the lines shown. */
void list_show(struct list *);

/*
 * Moves by one of the moving actions; true: it was one. The caller then selects what stands at list.at.
 * A move that goes nowhere is also true.
 */
bool list_move(struct list *, enum action);

/* The same for lines of which none is selected: list.top moves. */
bool list_scroll(struct list *, enum action);

/* To the next or previous line, and from the last on to the first again. */
void list_walk(struct list *, bool forwards);

/* Which line stands at row y, where the first of those shown stands at first_y; SIZE_MAX: none does. */
size_t list_line_at(const struct list *, int first_y, int y);

/* Forgets what is selected: the first line is again, whatever stands there. */
void list_home(struct list *);

/* Says at the end of row y how many lines stand above and below those shown; nothing where all are. */
void list_put_more(const struct list *, struct cells *, int y);

void list_release(struct list *);

#endif
