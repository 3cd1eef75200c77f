/*
 * jump.h - the targets of a few letters after ":": a screen, or an election.
 */
#ifndef ELECTOP_TUI_DASHBOARD_JUMP_H
#define ELECTOP_TUI_DASHBOARD_JUMP_H

#include <stddef.h>

#include "probe/election/model.h"
#include "tui/screen/key_bindings.h"

struct jump_match {
    const char *name;                /* as Tab completes it; the election's or static */
    const struct election *election; /* NULL: a screen ... */
    enum action screen;              /* ... the key that opens it, ACTION_BACK for the overview */
    int fit;                         /* the larger the better */
};

/*
 * All matches, best first: equal names, then names that end, begin with or contain the letters, else, without
 * a better match, names that contain them in this order. Among equals the shortest name. Screens match by
 * their beginning, after an election that begins so. The caller frees *matches; returns their number. *alike:
 * the number of elections that match as well as the first; 0: the first is a screen.
 */
size_t jump_matches(const struct model *model, const char *text, struct jump_match **matches, size_t *alike);

#endif
