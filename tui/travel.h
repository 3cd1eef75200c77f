/*
 * travel.h - what keys and clicks do that move in time, and the line of time that shows where one is.
 *
 * A dashboard on a recording is always away; a live one goes away into what it records, and comes back.
 */
#ifndef ELECTOP_TUI_TRAVEL_H
#define ELECTOP_TUI_TRAVEL_H

#include <stdbool.h>

#include "probe/election/moment.h"
#include "tui/past.h"
#include "tui/screen/cells.h"
#include "tui/screen/keys.h"

struct travel {
    struct past *past;   /* the caller's; NULL: nothing is recorded, and why: */
    const char *why_not; /* borrowed; or NULL */
    bool live;           /* there is a present to come back to */
    bool away;           /* a moment of the past is shown */
    int pace;            /* at which it plays; 0: not chosen yet */
    /* Where the line of time was drawn, for clicks, and what it showed. */
    int x, y, width;
    int64_t from_us, to_us;
};

/* What there is to say afterwards; "": nothing. */
struct travel_note {
    style role;
    char text[256];
};

/* Does this key move in time (also: go on, stop, hasten), where one is? */
bool travel_knows(const struct travel *, enum action);
/* now: of the present. */
void travel_act(struct travel *, enum action, struct moment now, struct travel_note *);
/* Can that moment be gone to? In a recording any is: the end stands for what is later. */
bool travel_reaches(struct travel *, int64_t at_us);
/* To a moment, or to one that was typed. False: it stays, and the note says why. */
bool travel_to(struct travel *, int64_t at_us, struct travel_note *);
bool travel_to_typed(struct travel *, const char *text, struct moment now, struct travel_note *);
/* A click on the line of time: true, and it went there. */
bool travel_click(struct travel *, int x, int y, struct travel_note *);

/* One row: from when to when, where failovers were, and where one is. now: of the present. */
void travel_draw(struct travel *, struct cells *, int y, struct moment now);

#endif
