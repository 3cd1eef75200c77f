/*
 * replay.h - one moment of a recording, and moving it: the dashboard's model in place of the live one.
 *
 * Times are wall-clock microseconds. It has no clock of its own: playing uses the caller's.
 */
#ifndef ELECTOP_TUI_DASHBOARD_REPLAY_H
#define ELECTOP_TUI_DASHBOARD_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/history/history.h"
#include "tui/views/event_log.h"

struct replay;

/* file: the recording, opened when it is first wanted. NULL: out of memory. */
struct replay *replay_new(const char *file);
void replay_free(struct replay *); /* NULL is fine */

/* False, and a text that lasts until the next call in replay_problem(): it cannot be read, or holds nothing.
 */
bool replay_open(struct replay *);
const char *replay_problem(const struct replay *);     /* NULL: there was none */
struct history *replay_history(const struct replay *); /* NULL: not opened */
/* From the first thing recorded to the last; false: nothing is. */
bool replay_bounds(const struct replay *, int64_t *from_us, int64_t *to_us);

/*
 * Goes to a moment; one before the beginning is the beginning, one after the end the end. False, and why in
 * replay_problem(): it stays where it was.
 */
bool replay_go(struct replay *, int64_t at_us);

enum replay_unit { REPLAY_EVENT, REPLAY_FAILOVER, REPLAY_MINUTE, REPLAY_HOUR };
enum replay_step {
    REPLAY_MOVED,
    REPLAY_NO_MORE, /* there is none of that on this side; a minute beyond the end is the end */
    REPLAY_FAILED   /* replay_problem() */
};
/* To an event: when it has happened. To a failover: just before its loss, so that the next event is that. */
enum replay_step replay_step(struct replay *, enum replay_unit, bool forward);

/* The model of that moment; valid until it moves. Before the first replay_go(): NULL. */
const struct model *replay_model(const struct replay *);
const struct event_log *replay_events(const struct replay *); /* those that led there, the latest of them */
/* The latest of all that was recorded, for a log that begins; it stays where it is. */
void replay_tell(struct replay *, struct event_log *);
struct moment replay_now(const struct replay *); /* on the clocks of the model */

/* Plays so many times as fast as real time; 0 stops. mono_us: of the clock passed to replay_tick(). */
void replay_play(struct replay *, int pace, int64_t mono_us);
int replay_pace(const struct replay *);
/* Time has passed: goes on. True: it moved. It stops at the end by itself. */
bool replay_tick(struct replay *, int64_t mono_us);

#endif
