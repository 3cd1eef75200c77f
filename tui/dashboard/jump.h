/*
 * jump.h - where a few letters after ":" lead: to a screen, or to an election.
 */
#ifndef ELECTOP_TUI_DASHBOARD_JUMP_H
#define ELECTOP_TUI_DASHBOARD_JUMP_H

#include <stddef.h>

#include "probe/election/model.h"
#include "tui/screen/keys.h"

struct jump_match {
    const char *name;                /* as Tab completes it; the election's or static */
    const struct election *election; /* NULL: a screen ... */
    enum action screen;              /* ... the key that opens it, ACTION_BACK for the overview */
    int fit;                         /* the larger the better */
};

/*
 * All that the letters fit, the best first: what is called so, else what ends, begins with or contains them,
 * else, where there is nothing better, what has them in this order. The shortest name among equals. Screens
 * match by their beginning, after an election that begins so. *matches is the caller's to free; returns how
 * many there are. *alike: so many elections fit as well as the first; 0: the first is a screen.
 */
size_t jump_matches(const struct model *model, const char *text, struct jump_match **matches, size_t *alike);

#endif
