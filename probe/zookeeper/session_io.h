/*
 * session_io.h - drives a session's client library: its descriptor, its deadlines, and one call per turn of
 * the loop.
 *
 * The client library is driven from outside. It names a descriptor and a deadline, and must be asked again
 * after each use of the descriptor. It also closes descriptors without notice, so a closed one must be
 * dropped at once (session_io_let_go()), before its number is reused.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_SESSION_IO_H
#define ELECTOP_PROBE_ZOOKEEPER_SESSION_IO_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "probe/zookeeper/descriptor_poll.h"

struct session_io;

struct session_io_beats {
    void (*ready)(void *context, int uv_events); /* the descriptor is ready; on an error in both directions */
    void (*due)(void *context);                  /* the time of session_io_wake_in() has come */
    void (*turn)(void *context);    /* session_io_this_turn() was called since the loop last polled */
    void (*overdue)(void *context); /* the time of session_io_deadline() has come */
};

/* The poller may be shared, and must outlive this object; NULL: a private one. Returns NULL if no descriptor
 * is left. */
struct session_io *session_io_new(uv_loop_t *loop, struct descriptor_poll *poller,
                                  const struct session_io_beats *beats, void *context);
/* Stops all callbacks. May be called from a callback. */
void session_io_free(struct session_io *session_io);

/*
 * Polls this descriptor for these events from now on. *fresh: it was not polled before. False: the system
 * refused.
 */
bool session_io_poll(struct session_io *session_io, int fd, int uv_events, bool *fresh);
void session_io_let_go(struct session_io *session_io);
/* The polled descriptor, or -1. */
int session_io_descriptor(const struct session_io *session_io);

void session_io_wake_in(struct session_io *session_io, uint64_t ms);
/* Like session_io_wake_in(), but keeps an earlier wake that is already set. */
void session_io_wake_within(struct session_io *session_io, uint64_t ms);
/* Like session_io_wake_in(), after half to one and a half of the time, so that many sessions that lost the
 * same server do not return at once. */
void session_io_pause(struct session_io *session_io, unsigned ms);
void session_io_this_turn(struct session_io *session_io);
/* Cancels session_io_this_turn(). */
void session_io_not_this_turn(struct session_io *session_io);
/* Stops callbacks until thaw; requests in between are ignored. The descriptor stays. */
void session_io_freeze(struct session_io *session_io);
void session_io_thaw(struct session_io *session_io);
/* Sets the deadline; 0: none. */
void session_io_deadline(struct session_io *session_io, uint64_t ms);

#endif
