/*
 * title_footer.h - the first and the last line of every screen. The title: the view, the state of clusters
 * and servers, and the time. The footer: the keys that work here, or the text being typed, or a message.
 */
#ifndef ELECTOP_TUI_DASHBOARD_TITLE_FOOTER_H
#define ELECTOP_TUI_DASHBOARD_TITLE_FOOTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/screen/cells.h"
#include "tui/views/view.h"

/* ---- the title ---- */

/*
 * The first view's title contains the program, the clusters and their servers. The title of a view opened
 * from it contains the view's own text, and only problems of the clusters. paused_us: how long the display
 * has been frozen, or -1; clock_us: the wall clock, which continues meanwhile. Replay shows its own time
 * instead.
 */
void title_draw(struct cells *cells, struct view *view, bool first, const struct scene *scene,
                int64_t paused_us, int64_t clock_us);

/* ---- the footer ---- */

/*
 * The keys that work on the present screen: for the footer and the help screen, and as a check before a key
 * that writes.
 */

/* The present state. Everything is borrowed. */
struct key_help {
    const struct view *view;
    const struct scene *scene;
    bool deeper;         /* there is a previous view, or a filter to end */
    const char *back_to; /* the screen that a jump left; NULL: the one that its title shows */
    bool recorded;       /* replay is possible */
    bool live;           /* there is a live model to return to */
    bool playing;        /* a replay is running */
};

/* Whether this key has an effect here. */
bool key_help_key(const struct key_help *key_help, enum action action);
/* The same for every key: a set of ACTION_BIT(). */
action_set key_help_all(const struct key_help *key_help);

/* The purpose of the text being typed. */
enum typing {
    TYPING_NOTHING,
    TYPING_FILTER,
    TYPING_TIME,
    TYPING_JUMP,
    TYPING_MUTE,
    TYPING_UNHEARD, /* after / where nothing is filtered: no letter of it is a key */
    TYPING_ANSWER   /* to the view's question */
};

#define FOOTER_KEYS_MOST 32

struct footer {
    enum typing typing;
    char typed[256];  /* a time or an answer, so far; a filter belongs to its view */
    char tabbed[256]; /* the text that Tab completes, and how often it was pressed */
    size_t tabs;
    char message[256];
    style message_role;
    int64_t message_until_us; /* monotonic; 0: there is none */
    char told[256]; /* a change that was waited for: whenever there is no message; until a key is pressed */

    /* The keys at the last draw, for clicks. */
    struct footer_key {
        enum action action;
        int from, to; /* columns */
    } keys[FOOTER_KEYS_MOST];
    size_t key_count;
    int y;
};

void footer_say(struct footer *footer, style role, const char *text, int64_t until_us);

/* The key that is shown at a cell, or ACTION_NONE. */
enum action footer_action_at(const struct footer *footer, int x, int y);

/* On the last row. filter: of the view that the keys belong to; "": none. */
void footer_draw(struct footer *footer, struct cells *cells, const struct key_help *key_help,
                 const char *filter, int64_t now_us);

/* ---- a line of text that the user types ---- */

enum typed {
    TYPED_NOT,     /* the key does not belong to the line: arrows and the mouse still move */
    TYPED_NOTHING, /* it does, and has no effect now */
    TYPED_CHANGED,
    TYPED_KEPT, /* Enter */
    TYPED_ENDED /* Esc; the text is empty */
};

/* text: UTF-8, in a buffer of size. Ctrl-U empties it, as in a shell. */
enum typed typed_line_key(char *text, size_t size, int key);

/* Explains the signs to new users, on row y. */
void footer_draw_hints(struct cells *cells, int y);

#endif
