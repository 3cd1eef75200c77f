/*
 * replay.h - one moment of a recording, and moving it: provides the dashboard's model in place of the live
 * one.
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
#include "tui/screen/key_bindings.h"
#include "tui/views/event_log.h"

struct replay;

/* file: the recording, opened at first use. */
struct replay *replay_new(const char *file);
void replay_free(struct replay *past); /* NULL is fine */

/* False: it cannot be read, or is empty; replay_problem() has a text that is valid until the next call. */
bool replay_open(struct replay *past);
const char *replay_problem(const struct replay *past); /* NULL: there was none */
const char *replay_file(const struct replay *past);
struct history *replay_history(const struct replay *past); /* NULL: not opened */

enum replay_unit { REPLAY_EVENT, REPLAY_FAILOVER, REPLAY_MINUTE, REPLAY_HOUR };
enum replay_step {
    REPLAY_MOVED,
    REPLAY_NO_MORE, /* there is no such item in this direction; a minute beyond the end is the end */
    REPLAY_FAILED   /* replay_problem() */
};

/* The model of that moment; valid until the moment changes. Before the first replay_go(): NULL. */
const struct model *replay_model(const struct replay *past);
const struct event_log *replay_events(const struct replay *past); /* the latest events before that moment */
/* The latest recorded events, for a new log; the moment does not change. */
void replay_report(struct replay *past, struct event_log *log);
struct moment replay_now(const struct replay *past); /* on the clocks of the model */

int replay_pace(const struct replay *past);
/* Time has passed: continues to play. True: the moment changed. It stops at the end by itself. */
bool replay_tick(struct replay *past, int64_t mono_us);

/*
 * Keys and clicks that move in time, and the time line that shows the position.
 *
 * A dashboard on a recording is always in replay; a live one can enter its own recording and return.
 */

struct replay_keys {
    struct replay *past; /* the caller's; NULL: there is no recording, because: */
    const char *why_not; /* borrowed; or NULL */
    bool live;           /* there is a live model to return to */
    bool away;           /* a moment of the past is shown */
    int pace;            /* the playing speed; 0: not selected yet */
    /* The position of the time line, for clicks, and its window. */
    int x, y, width;
    int64_t from_us, to_us;
};

/* A message about the result; "": none. */
struct replay_keys_note {
    style role;
    char text[256];
};

/* Whether this key moves in time (or starts, stops, speeds up) in the present state. */
bool replay_keys_knows(const struct replay_keys *replay_keys, enum action action);
/* now: the present moment, not the replayed one. within: the election of which a failover is meant; members that
 * are NULL: any. */
void replay_keys_act(struct replay_keys *replay_keys, enum action action, struct moment now,
                     const struct history_filter *within, struct replay_keys_note *note);
/* Whether the dashboard can show that moment. `electop replay` always can: a time after the recording shows its
 * end. */
bool replay_keys_reaches(struct replay_keys *replay_keys, int64_t at_us);
/* To a moment, or to one that was typed. False: the moment does not change, and the note says why. */
bool replay_keys_to(struct replay_keys *replay_keys, int64_t at_us, struct replay_keys_note *note);
bool replay_keys_to_typed(struct replay_keys *replay_keys, const char *text, struct moment now,
                          struct replay_keys_note *note);
/* A click on the time line. True: it went to that moment. */
bool replay_keys_click(struct replay_keys *replay_keys, int x, int y, struct replay_keys_note *note);

/* One row: the period, the failovers, and the present position. now: of the live model. */
void replay_keys_draw(struct replay_keys *replay_keys, struct cells *cells, int y, struct moment now);

#endif
