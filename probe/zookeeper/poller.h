/*
 * poller.h - many descriptors behind one of the loop's.
 *
 * libuv asks the kernel four times before it polls a descriptor, and twice for each change of what is waited
 * for. With thousands of sessions that connect at once this is felt; here it is once. Any descriptor that
 * epoll takes will do.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_POLLER_H
#define ELECTOP_PROBE_ZOOKEEPER_POLLER_H

#include <stdbool.h>
#include <uv.h>

struct poller;

/* Whose descriptor it is. Zeroed but for ready and context; must stay until poller_drop(). */
struct poller_seat {
    /* In the loop's poll phase, as long as it is ready; on an error or the other's end UV_READABLE, too. */
    void (*ready)(void *context, int uv_events);
    void *context;
    int fd, events; /* being polled; events 0: none */
};

/* NULL: out of memory or descriptors. */
struct poller *poller_new(uv_loop_t *);
/* Seats may still be dropped until the loop's next turn, but not polled. NULL is fine. */
void poller_free(struct poller *);

/* Polls this descriptor, instead of the one before, for UV_READABLE and UV_WRITABLE; 0: for nothing. False:
 * the system refused. */
bool poller_poll(struct poller *, struct poller_seat *, int fd, int uv_events);
/* Not ready any more, not even for what the loop has already been told. The descriptor may be closed, but its
 * number may not be another seat's yet. */
void poller_drop(struct poller *, struct poller_seat *);

#endif
