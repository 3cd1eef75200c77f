#include "probe/zookeeper/session_io.h"

#include <stdlib.h>

#include "config/memory.h"

/* libuv uses the handles a while longer; they are freed, with the memory around them, after the last one
 * closes. */
struct session_io {
    uv_timer_t wake, deadline;
    uv_prepare_t prepare;
    int open;
    struct descriptor_poll *poller;
    bool is_poller_ours;
    struct descriptor_poll_seat seat;
    int fd;
    struct session_io_beats beats;
    void *context;
    bool freed, frozen;
    unsigned jitter; /* state of a small generator */
};

static void session_io_on_closed(uv_handle_t *handle)
{
    struct session_io *p = handle->data;
    if (--p->open == 0)
        free(p);
}

static void session_io_on_wake(uv_timer_t *timer)
{
    struct session_io *p = timer->data;
    if (!p->freed)
        p->beats.due(p->context);
}

static void session_io_on_deadline(uv_timer_t *timer)
{
    struct session_io *p = timer->data;
    if (!p->freed)
        p->beats.overdue(p->context);
}

static void session_io_on_prepare(uv_prepare_t *prepare)
{
    struct session_io *p = prepare->data;
    uv_prepare_stop(prepare);
    if (!p->freed)
        p->beats.turn(p->context);
}

struct session_io *session_io_new(uv_loop_t *loop, struct descriptor_poll *poller,
                                  const struct session_io_beats *beats, void *context)
{
    struct session_io *p = xcalloc(1, sizeof *p);
    p->is_poller_ours = !poller;
    p->poller = poller ? poller : descriptor_poll_new(loop);
    if (!p->poller) {
        free(p);
        return NULL;
    }
    p->seat = (struct descriptor_poll_seat){.ready = beats->ready, .context = context};
    p->beats = *beats;
    p->context = context;
    p->fd = -1;
    p->open = 3;
    p->jitter = (unsigned)uv_hrtime() | 1u;
    uv_timer_init(loop, &p->wake);
    uv_timer_init(loop, &p->deadline);
    uv_prepare_init(loop, &p->prepare);
    p->wake.data = p->deadline.data = p->prepare.data = p;
    return p;
}

void session_io_free(struct session_io *p)
{
    if (!p)
        return;
    p->freed = true;
    session_io_let_go(p);
    if (p->is_poller_ours)
        descriptor_poll_free(p->poller);
    uv_close((uv_handle_t *)&p->wake, session_io_on_closed);
    uv_close((uv_handle_t *)&p->deadline, session_io_on_closed);
    uv_close((uv_handle_t *)&p->prepare, session_io_on_closed);
}

bool session_io_poll(struct session_io *p, int fd, int uv_events, bool *fresh)
{
    *fresh = p->fd != fd;
    if (*fresh)
        session_io_let_go(p);
    p->fd = fd;
    return p->frozen || descriptor_poll_poll(p->poller, &p->seat, fd, uv_events);
}

void session_io_let_go(struct session_io *p)
{
    descriptor_poll_drop(p->poller, &p->seat);
    p->fd = -1;
}

int session_io_descriptor(const struct session_io *p)
{
    return p->fd;
}

void session_io_wake_in(struct session_io *p, uint64_t ms)
{
    if (!p->frozen)
        uv_timer_start(&p->wake, session_io_on_wake, ms, 0);
}

void session_io_wake_within(struct session_io *p, uint64_t ms)
{
    if (!uv_is_active((uv_handle_t *)&p->wake) || uv_timer_get_due_in(&p->wake) > ms)
        session_io_wake_in(p, ms);
}

void session_io_pause(struct session_io *p, unsigned ms)
{
    p->jitter = p->jitter * 1103515245u + 12345u;
    session_io_wake_in(p, ms / 2 + (p->jitter >> 16) % (ms + 1));
}

void session_io_this_turn(struct session_io *p)
{
    if (!p->freed && !p->frozen && !uv_is_active((uv_handle_t *)&p->prepare))
        uv_prepare_start(&p->prepare, session_io_on_prepare);
}

void session_io_not_this_turn(struct session_io *p)
{
    uv_prepare_stop(&p->prepare);
}

void session_io_deadline(struct session_io *p, uint64_t ms)
{
    if (ms && !p->frozen)
        uv_timer_start(&p->deadline, session_io_on_deadline, ms, 0);
    else
        uv_timer_stop(&p->deadline);
}

void session_io_freeze(struct session_io *p)
{
    p->frozen = true;
    descriptor_poll_drop(p->poller, &p->seat);
    uv_timer_stop(&p->wake);
    uv_timer_stop(&p->deadline);
    uv_prepare_stop(&p->prepare);
}

void session_io_thaw(struct session_io *p)
{
    p->frozen = false;
}
