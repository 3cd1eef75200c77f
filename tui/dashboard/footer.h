/*
 * footer.h - the last line: the keys that work here, or the text being typed, or a message.
 */
#ifndef ELECTOP_TUI_DASHBOARD_FOOTER_H
#define ELECTOP_TUI_DASHBOARD_FOOTER_H

#include <stddef.h>
#include <stdint.h>

#include "tui/dashboard/key_help.h"
#include "tui/screen/cells.h"

/* The purpose of the text being typed. */
enum typing {
    TYPING_NOTHING,
    TYPING_FILTER,
    TYPING_TIME,
    TYPING_JUMP,
    TYPING_MUTE,
    TYPING_ANSWER /* to the view's question */
};

#define FOOTER_KEYS_MOST 32

struct footer {
    enum typing typing;
    char typed[256]; /* a time or an answer, so far; a filter belongs to its view */
    char message[256];
    style message_role;
    int64_t message_until_us; /* monotonic; 0: there is none */

    /* The keys at the last draw, for clicks. */
    struct footer_key {
        enum action action;
        int from, to; /* columns */
    } keys[FOOTER_KEYS_MOST];
    size_t key_count;
    int y;
};

void footer_say(struct footer *, style, const char *text, int64_t until_us);

/* The key that is shown at a cell, or ACTION_NONE. */
enum action footer_action_at(const struct footer *, int x, int y);

/* On the last row. filter: of the view that the offers are of; "": none. */
void footer_draw(struct footer *, struct cells *, const struct key_help *, const char *filter,
                 int64_t now_us);

#endif
