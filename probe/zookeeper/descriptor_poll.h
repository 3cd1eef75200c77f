/*
 * descriptor_poll.h - many descriptors behind one of the loop's.
 *
 * libuv makes four system calls before it polls a descriptor, and two for each change of the wanted events.
 * That matters with thousands of sessions that connect at once; here it is one. Any descriptor that
 * epoll takes will do.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_DESCRIPTOR_POLL_H
#define ELECTOP_PROBE_ZOOKEEPER_DESCRIPTOR_POLL_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

struct descriptor_poll;

/* Whose descriptor it is. Zeroed but for ready and context; must stay until descriptor_poll_drop(). */
struct descriptor_poll_seat {
    /* In the loop's poll phase, as long as it is ready; on an error or the other's end UV_READABLE, too. */
    void (*ready)(void *context, int uv_events);
    void *context;
    int fd, events; /* being polled; events 0: none */
};

/* NULL: no descriptor is left. */
struct descriptor_poll *descriptor_poll_new(uv_loop_t *loop);
/* Seats may still be dropped until the loop's next turn, but not polled. NULL is fine. */
void descriptor_poll_free(struct descriptor_poll *descriptor_poll);

/* Polls this descriptor, instead of the one before, for UV_READABLE and UV_WRITABLE; 0: for nothing. False:
 * the system refused. */
bool descriptor_poll_poll(struct descriptor_poll *descriptor_poll, struct descriptor_poll_seat *seat, int fd,
                          int uv_events);
/* Not ready any more, including events already delivered to the loop. The descriptor may be closed, but its
 * number may not belong to another seat yet. */
void descriptor_poll_drop(struct descriptor_poll *descriptor_poll, struct descriptor_poll_seat *seat);

/*
 * Room for many sessions: each needs a file descriptor.
 */

/*
 * Room for so many sessions beside what the program has open: raises the soft limit of open files, up to the
 * hard one. False, and a text with what to do in *error (caller frees): the hard limit is lower.
 */
bool descriptors_make_room(size_t sessions, char **error);

#endif
