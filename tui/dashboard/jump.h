/*
 * jump.h - the targets of a few letters after ":": an election, or an action by its name.
 */
#ifndef ELECTOP_TUI_DASHBOARD_JUMP_H
#define ELECTOP_TUI_DASHBOARD_JUMP_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/election/model.h"
#include "tui/dashboard/title_footer.h"
#include "tui/screen/key_bindings.h"

struct jump_match {
    const char *name;                /* as Tab completes it; the election's or static */
    const struct election *election; /* NULL: an action ... */
    enum action action;              /* ... of the key table; ACTION_NONE: the overview ... */
    const char *sort;                /* ... or sorts that by this column; else NULL */
    bool guessed;                    /* only the action's description has the letters */
    int fit;                         /* the larger the better */
};

/*
 * All matches, best first: equal names, then names that end, begin with or contain the letters, else, without
 * a better match, names that contain them in this order, and actions whose description contains them. Among
 * equals the shortest name. An action matches by the beginning of its name, after an election that begins so,
 * or of a word of it. The caller frees *matches; returns their number. *alike: the number of elections that
 * match as well as the first; 0: the first is an action.
 */
size_t jump_matches(const struct model *model, const char *text, struct jump_match **matches, size_t *alike);

/* The best of them, above the last row of the screen, while they are typed. works: the actions that have an
 * effect here. */
void jump_draw(struct cells *cells, const struct scene *scene, const struct footer *footer, action_set works);

#endif
