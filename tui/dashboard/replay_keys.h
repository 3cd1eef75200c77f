/*
 * replay_keys.h - keys and clicks that move in time, and the line of time that shows the position.
 *
 * A dashboard on a recording is always in replay; a live one enters its own recording, and comes back.
 */
#ifndef ELECTOP_TUI_DASHBOARD_REPLAY_KEYS_H
#define ELECTOP_TUI_DASHBOARD_REPLAY_KEYS_H

#include <stdbool.h>

#include "probe/election/moment.h"
#include "tui/dashboard/replay.h"
#include "tui/screen/cells.h"
#include "tui/screen/keys.h"

struct replay_keys {
    struct replay *past; /* the caller's; NULL: nothing is recorded, and why: */
    const char *why_not; /* borrowed; or NULL */
    bool live;           /* there is a present to come back to */
    bool away;           /* a moment of the past is shown */
    int pace;            /* at which it plays; 0: not chosen yet */
    /* The position of the line of time, for clicks, and its window. */
    int x, y, width;
    int64_t from_us, to_us;
};

/* What there is to say afterwards; "": nothing. */
struct replay_keys_note {
    style role;
    char text[256];
};

/* Does this key move in time (also: go on, stop, hasten), where one is? */
bool replay_keys_knows(const struct replay_keys *, enum action);
/* now: of the present. */
void replay_keys_act(struct replay_keys *, enum action, struct moment now, struct replay_keys_note *);
/* Can the dashboard go to that moment? In a recording always: its end replaces later ones. */
bool replay_keys_reaches(struct replay_keys *, int64_t at_us);
/* To a moment, or to one that was typed. False: it stays, and the note says why. */
bool replay_keys_to(struct replay_keys *, int64_t at_us, struct replay_keys_note *);
bool replay_keys_to_typed(struct replay_keys *, const char *text, struct moment now,
                          struct replay_keys_note *);
/* A click on the line of time: true, and it went there. */
bool replay_keys_click(struct replay_keys *, int x, int y, struct replay_keys_note *);

/* One row: from when to when, where failovers were, and where one is. now: of the present. */
void replay_keys_draw(struct replay_keys *, struct cells *, int y, struct moment now);

#endif
