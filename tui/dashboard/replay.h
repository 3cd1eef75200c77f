/*
 * replay.h - one moment of a recording, and moving it: the dashboard's model in place of the live one.
 *
 * Times are wall-clock microseconds. Playing uses the caller's clock.
 */
#ifndef ELECTOP_TUI_DASHBOARD_REPLAY_H
#define ELECTOP_TUI_DASHBOARD_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/election/moment.h"
#include "probe/history/history.h"
#include "tui/screen/cells.h"
#include "tui/screen/keys.h"
#include "tui/views/event_log.h"

struct replay;

/* file: the recording, opened when it is first wanted. */
struct replay *replay_new(const char *file);
void replay_free(struct replay *past); /* NULL is fine */

/* False, and a text that lasts until the next call in replay_problem(): it cannot be read, or holds nothing.
 */
bool replay_open(struct replay *past);
const char *replay_problem(const struct replay *past); /* NULL: there was none */
const char *replay_file(const struct replay *past);
struct history *replay_history(const struct replay *past); /* NULL: not opened */

enum replay_unit { REPLAY_EVENT, REPLAY_FAILOVER, REPLAY_MINUTE, REPLAY_HOUR };
enum replay_step {
    REPLAY_MOVED,
    REPLAY_NO_MORE, /* there is none of that on this side; a minute beyond the end is the end */
    REPLAY_FAILED   /* replay_problem() */
};

/* The model of that moment; valid until it moves. Before the first replay_go(): NULL. */
const struct model *replay_model(const struct replay *past);
const struct event_log *
replay_events(const struct replay *past); /* those that led there, the latest of them */
/* The latest of all that was recorded, for a log that begins; it stays where it is. */
void replay_report(struct replay *past, struct event_log *log);
struct moment replay_now(const struct replay *past); /* on the clocks of the model */

int replay_pace(const struct replay *past);
/* Time has passed: goes on. True: it moved. It stops at the end by itself. */
bool replay_tick(struct replay *past, int64_t mono_us);

/*
 * Keys and clicks that move in time, and the line of time that shows the position.
 *
 * A dashboard on a recording is always in replay; a live one enters its own recording, and comes back.
 */

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
bool replay_keys_knows(const struct replay_keys *replay_keys, enum action action);
/* now: of the present. */
void replay_keys_act(struct replay_keys *replay_keys, enum action action, struct moment now,
                     struct replay_keys_note *note);
/* Can the dashboard go to that moment? In a recording always: its end replaces later ones. */
bool replay_keys_reaches(struct replay_keys *replay_keys, int64_t at_us);
/* To a moment, or to one that was typed. False: it stays, and the note says why. */
bool replay_keys_to(struct replay_keys *replay_keys, int64_t at_us, struct replay_keys_note *note);
bool replay_keys_to_typed(struct replay_keys *replay_keys, const char *text, struct moment now,
                          struct replay_keys_note *note);
/* A click on the line of time: true, and it went there. */
bool replay_keys_click(struct replay_keys *replay_keys, int x, int y, struct replay_keys_note *note);

/* One row: from when to when, where failovers were, and where one is. now: of the present. */
void replay_keys_draw(struct replay_keys *replay_keys, struct cells *cells, int y, struct moment now);

#endif
