/*
 * session_io.h - what keeps a session's library going: its descriptor, its deadlines, once a turn of the
 * loop.
 *
 * The client library is pumped from outside: it names a descriptor and a deadline, and wants to be asked
 * again after whatever was done with it. It also closes descriptors behind our back, so the one being
 * polled must be let go of at once (session_io_let_go()), before anything else can get its number.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_SESSION_IO_H
#define ELECTOP_PROBE_ZOOKEEPER_SESSION_IO_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "probe/zookeeper/descriptor_poll.h"

struct session_io;

struct session_io_beats {
    void (*ready)(void *context, int uv_events); /* the descriptor; on an error both directions */
    void (*due)(void *context);                  /* the time of session_io_wake_in() has come */
    void (*turn)(void *context);    /* session_io_this_turn() was called since the loop last polled */
    void (*overdue)(void *context); /* the time of session_io_deadline() has come */
};

/* The poller may be shared, and must outlive the pulse; NULL: a private one. NULL: no descriptor is
 * left. */
struct session_io *session_io_new(uv_loop_t *loop, struct descriptor_poll *poller,
                                  const struct session_io_beats *beats, void *context);
/* No beat comes any more; may be called from inside one. */
void session_io_free(struct session_io *session_io);

/*
 * Polls this descriptor for these events from now on. *fresh: it was not being polled before. False: the
 * system refused.
 */
bool session_io_poll(struct session_io *session_io, int fd, int uv_events, bool *fresh);
void session_io_let_go(struct session_io *session_io);
/* The descriptor being polled, or -1. */
int session_io_descriptor(const struct session_io *session_io);

void session_io_wake_in(struct session_io *session_io, uint64_t ms);
/* The same, but an earlier wake that is already set will do. */
void session_io_wake_within(struct session_io *session_io, uint64_t ms);
/* The same after half to one and a half of it, so that many who lost the same server do not return as one. */
void session_io_pause(struct session_io *session_io, unsigned ms);
void session_io_this_turn(struct session_io *session_io);
/* Takes session_io_this_turn() back. */
void session_io_not_this_turn(struct session_io *session_io);
/* No callback until thaw, and requests meanwhile are forgotten; the descriptor stays. */
void session_io_freeze(struct session_io *session_io);
void session_io_thaw(struct session_io *session_io);
/* 0: none any more. */
void session_io_deadline(struct session_io *session_io, uint64_t ms);

#endif
