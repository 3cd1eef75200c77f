/*
 * descriptor_poll.h - polls many descriptors through one descriptor of the loop.
 *
 * libuv makes four system calls before it polls a descriptor, and two for each change of the wanted events.
 * That matters if thousands of sessions connect at once; here it takes one call. Works for any descriptor
 * that epoll accepts.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_DESCRIPTOR_POLL_H
#define ELECTOP_PROBE_ZOOKEEPER_DESCRIPTOR_POLL_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

struct descriptor_poll;

/* The owner of a polled descriptor. Zeroed except for ready and context; must stay until
 * descriptor_poll_drop(). */
struct descriptor_poll_seat {
    /* Called in the loop's poll phase as long as the descriptor is ready. An error or a closed connection
     * also sets UV_READABLE. */
    void (*ready)(void *context, int uv_events);
    void *context;
    int fd, events; /* the polled descriptor; events 0: none */
};

/* Returns NULL if no descriptor is left. */
struct descriptor_poll *descriptor_poll_new(uv_loop_t *loop);
/* Until the loop's next turn seats may still be dropped, but not polled. NULL is allowed. */
void descriptor_poll_free(struct descriptor_poll *descriptor_poll);

/* Polls this descriptor, in place of the previous one, for UV_READABLE and UV_WRITABLE; 0: for nothing.
 * False: the system refused. */
bool descriptor_poll_poll(struct descriptor_poll *descriptor_poll, struct descriptor_poll_seat *seat, int fd,
                          int uv_events);
/* Stops polling; events already delivered to the loop are discarded. The descriptor may already be closed,
 * but its number must not belong to another seat yet. */
void descriptor_poll_drop(struct descriptor_poll *descriptor_poll, struct descriptor_poll_seat *seat);

/*
 * File descriptors for many sessions: each session needs one.
 */

/*
 * Makes room for this many sessions in addition to the program's other descriptors: raises the soft limit of
 * open files, up to the hard one. False if the hard limit is lower, with advice in *error (the caller frees
 * it).
 */
bool descriptors_make_room(size_t sessions, char **error);

#endif
