#include "probe/zookeeper/pulse.h"

#include <stdlib.h>

/* libuv holds on to the handles a while longer: they, and the memory around them, go with the last. */
struct pulse {
    uv_timer_t wake, deadline;
    uv_prepare_t prepare;
    int open;
    struct poller *poller;
    bool is_poller_ours;
    struct poller_seat seat;
    int fd;
    struct pulse_beats beats;
    void *context;
    bool freed, frozen;
    unsigned jitter; /* state of a small generator */
};

static void on_closed(uv_handle_t *handle)
{
    struct pulse *p = handle->data;
    if (--p->open == 0)
        free(p);
}

static void on_wake(uv_timer_t *timer)
{
    struct pulse *p = timer->data;
    if (!p->freed)
        p->beats.due(p->context);
}

static void on_deadline(uv_timer_t *timer)
{
    struct pulse *p = timer->data;
    if (!p->freed)
        p->beats.overdue(p->context);
}

static void on_prepare(uv_prepare_t *prepare)
{
    struct pulse *p = prepare->data;
    uv_prepare_stop(prepare);
    if (!p->freed)
        p->beats.turn(p->context);
}

struct pulse *pulse_new(uv_loop_t *loop, struct poller *poller, const struct pulse_beats *beats,
                        void *context)
{
    struct pulse *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->is_poller_ours = !poller;
    p->poller = poller ? poller : poller_new(loop);
    if (!p->poller) {
        free(p);
        return NULL;
    }
    p->seat = (struct poller_seat){.ready = beats->ready, .context = context};
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

void pulse_free(struct pulse *p)
{
    if (!p)
        return;
    p->freed = true;
    pulse_let_go(p);
    if (p->is_poller_ours)
        poller_free(p->poller);
    uv_close((uv_handle_t *)&p->wake, on_closed);
    uv_close((uv_handle_t *)&p->deadline, on_closed);
    uv_close((uv_handle_t *)&p->prepare, on_closed);
}

bool pulse_poll(struct pulse *p, int fd, int uv_events, bool *fresh)
{
    *fresh = p->fd != fd;
    if (*fresh)
        pulse_let_go(p);
    p->fd = fd;
    return p->frozen || poller_poll(p->poller, &p->seat, fd, uv_events);
}

void pulse_let_go(struct pulse *p)
{
    poller_drop(p->poller, &p->seat);
    p->fd = -1;
}

int pulse_descriptor(const struct pulse *p)
{
    return p->fd;
}

void pulse_wake_in(struct pulse *p, uint64_t ms)
{
    if (!p->frozen)
        uv_timer_start(&p->wake, on_wake, ms, 0);
}

void pulse_wake_within(struct pulse *p, uint64_t ms)
{
    if (!uv_is_active((uv_handle_t *)&p->wake) || uv_timer_get_due_in(&p->wake) > ms)
        pulse_wake_in(p, ms);
}

void pulse_pause(struct pulse *p, unsigned ms)
{
    p->jitter = p->jitter * 1103515245u + 12345u;
    pulse_wake_in(p, ms / 2 + (p->jitter >> 16) % (ms + 1));
}

void pulse_this_turn(struct pulse *p)
{
    if (!p->freed && !p->frozen && !uv_is_active((uv_handle_t *)&p->prepare))
        uv_prepare_start(&p->prepare, on_prepare);
}

void pulse_not_this_turn(struct pulse *p)
{
    uv_prepare_stop(&p->prepare);
}

void pulse_deadline(struct pulse *p, uint64_t ms)
{
    if (ms && !p->frozen)
        uv_timer_start(&p->deadline, on_deadline, ms, 0);
    else
        uv_timer_stop(&p->deadline);
}

void pulse_freeze(struct pulse *p)
{
    p->frozen = true;
    poller_drop(p->poller, &p->seat);
    uv_timer_stop(&p->wake);
    uv_timer_stop(&p->deadline);
    uv_prepare_stop(&p->prepare);
}

void pulse_thaw(struct pulse *p)
{
    p->frozen = false;
}
