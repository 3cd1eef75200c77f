/*
 * offers.h - which keys do something where one is: what the footer and the help screen show, and what is
 * checked before a key that writes.
 */
#ifndef ELECTOP_TUI_OFFERS_H
#define ELECTOP_TUI_OFFERS_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/views/view.h"

/* Where one is. All of it is borrowed. */
struct offers {
    const struct view *view;
    const struct scene *scene;
    bool deeper;   /* there is something to go back to, or a filter to end */
    bool recorded; /* there is a past to go to */
    bool live;     /* there is a present to come back to */
    bool playing;  /* the past goes on by itself */
};

/* Does this key do anything here? */
bool offers_key(const struct offers *, enum action);
/* The same of every key: a set of ACTION_BIT(). */
uint64_t offers_all(const struct offers *);

/* Its word in the footer here; NULL: it does not stand there. */
const char *offers_word(const struct offers *, const struct key_binding *);
/* Those that stand first in the footer: a set of ACTION_BIT(). */
uint64_t offers_first(const struct offers *);

#endif
