/*
 * past.h - one moment of a recording, and moving it: what the dashboard shows in place of now.
 *
 * Times are wall-clock microseconds. It has no clock of its own: playing goes by the one that is handed in.
 */
#ifndef ELECTOP_TUI_PAST_H
#define ELECTOP_TUI_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/history/history.h"
#include "tui/event_log.h"

struct past;

/* file: the recording, opened when it is first wanted. NULL: out of memory. */
struct past *past_new(const char *file);
void past_free(struct past *); /* NULL is fine */

/* False, and a text that lasts until the next call in past_problem(): it cannot be read, or holds nothing. */
bool past_open(struct past *);
const char *past_problem(const struct past *);     /* NULL: there was none */
struct history *past_history(const struct past *); /* NULL: not opened */
/* From the first thing recorded to the last; false: nothing is. */
bool past_bounds(const struct past *, int64_t *from_us, int64_t *to_us);

/*
 * Goes to a moment; one before the beginning is the beginning, one after the end the end. False, and why in
 * past_problem(): it stays where it was.
 */
bool past_go(struct past *, int64_t at_us);

enum past_unit { PAST_EVENT, PAST_FAILOVER, PAST_MINUTE, PAST_HOUR };
enum past_step {
    PAST_MOVED,
    PAST_NO_MORE, /* there is none of that on this side; a minute beyond the end is the end */
    PAST_FAILED   /* past_problem() */
};
/* To an event: when it has happened. To a failover: just before its loss, so that the next event is that. */
enum past_step past_step(struct past *, enum past_unit, bool forward);

/* What stands at that moment; valid until it moves. Before the first past_go(): NULL. */
const struct model *past_model(const struct past *);
const struct event_log *past_events(const struct past *); /* those that led there, the latest of them */
/* The latest of all that was recorded, for a log that begins; it stays where it is. */
void past_tell(struct past *, struct event_log *);
struct moment past_now(const struct past *); /* on the clocks of the model */

/* Plays so many times as fast as it was; 0 stands still. mono_us: of the clock that past_tick() is told. */
void past_play(struct past *, int pace, int64_t mono_us);
int past_pace(const struct past *);
/* Time has passed: goes on. True: it moved. It stops at the end by itself. */
bool past_tick(struct past *, int64_t mono_us);

#endif
