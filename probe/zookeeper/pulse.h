/*
 * pulse.h - what keeps a session's library going: its descriptor, its deadlines, once a turn of the loop.
 *
 * The client library is pumped from outside: it names a descriptor and a deadline, and wants to be asked
 * again after whatever was done with it. It also closes descriptors behind our back, so the one being
 * polled must be let go of at once (pulse_let_go()), before anything else can get its number.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_PULSE_H
#define ELECTOP_PROBE_ZOOKEEPER_PULSE_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "probe/zookeeper/poller.h"

struct pulse;

struct pulse_beats {
    void (*ready)(void *context, int uv_events); /* the descriptor; on an error both directions */
    void (*due)(void *context);                  /* the time of pulse_wake_in() has come */
    void (*turn)(void *context);                 /* pulse_this_turn() was called since the loop last polled */
    void (*overdue)(void *context);              /* the time of pulse_deadline() has come */
};

/* The poller may be shared, and must outlive the pulse; NULL: one of its own. NULL: out of memory or
 * descriptors. */
struct pulse *pulse_new(uv_loop_t *, struct poller *, const struct pulse_beats *, void *context);
/* No beat comes any more; may be called from inside one. */
void pulse_free(struct pulse *);

/*
 * Polls this descriptor for these events from now on. *fresh: it was not being polled before. False: the
 * system refused.
 */
bool pulse_poll(struct pulse *, int fd, int uv_events, bool *fresh);
void pulse_let_go(struct pulse *);
/* The descriptor being polled, or -1. */
int pulse_descriptor(const struct pulse *);

void pulse_wake_in(struct pulse *, uint64_t ms);
/* The same, but an earlier wake that is already set will do. */
void pulse_wake_within(struct pulse *, uint64_t ms);
/* The same after half to one and a half of it, so that many who lost the same server do not return as one. */
void pulse_pause(struct pulse *, unsigned ms);
void pulse_this_turn(struct pulse *);
/* Takes pulse_this_turn() back. */
void pulse_not_this_turn(struct pulse *);
/* No beat comes until thaw, and what is asked for meanwhile is forgotten; the descriptor stays. */
void pulse_freeze(struct pulse *);
void pulse_thaw(struct pulse *);
/* 0: none any more. */
void pulse_deadline(struct pulse *, uint64_t ms);

#endif
