/*
 * key_help.h - which keys work on the present screen: for the footer and the help screen, and as a
 * check before a key that writes.
 */
#ifndef ELECTOP_TUI_DASHBOARD_KEY_HELP_H
#define ELECTOP_TUI_DASHBOARD_KEY_HELP_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/views/view.h"

/* Where one is. All of it is borrowed. */
struct key_help {
    const struct view *view;
    const struct scene *scene;
    bool deeper;   /* there is something to go back to, or a filter to end */
    bool recorded; /* there is a past to go to */
    bool live;     /* there is a present to come back to */
    bool playing;  /* the past goes on by itself */
};

/* Does this key do anything here? */
bool key_help_key(const struct key_help *, enum action);
/* The same of every key: a set of ACTION_BIT(). */
uint64_t key_help_all(const struct key_help *);

/* Its word in the footer here; NULL: it is not shown. */
const char *key_help_word(const struct key_help *, const struct key_binding *);
/* Those that come first in the footer: a set of ACTION_BIT(). */
uint64_t key_help_first(const struct key_help *);

#endif
