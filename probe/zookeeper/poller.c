#include "probe/zookeeper/poller.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

/* Told at once, as many as libuv takes. */
#define BATCH 1024

struct poller {
    uv_poll_t poll;
    int fd;
    size_t polled;             /* seats: with none the loop is free to end */
    struct epoll_event *batch; /* being told; NULL: nothing */
    int next, count;           /* of it */
    bool freed;
};

static void on_closed(uv_handle_t *handle)
{
    struct poller *p = handle->data;
    close(p->fd);
    free(p);
}

/* What is still waited for: that may have changed since the kernel was asked. An error is told in any case.
 */
static int told_of(uint32_t events, int wanted)
{
    int told = (events & EPOLLIN ? UV_READABLE : 0) | (events & EPOLLOUT ? UV_WRITABLE : 0);
    told &= wanted;
    if (events & (EPOLLERR | EPOLLHUP))
        told |= UV_READABLE;
    if (events & EPOLLERR)
        told |= UV_WRITABLE;
    return told;
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    (void)status, (void)events;
    struct poller *p = poll->data;
    struct epoll_event batch[BATCH];
    p->batch = batch;
    p->count = epoll_wait(p->fd, batch, BATCH, 0);
    for (p->next = 0; p->next < p->count;) {
        const struct epoll_event *event = &batch[p->next++];
        const struct poller_seat *seat = event->data.ptr;
        int told = seat ? told_of(event->events, seat->events) : 0;
        if (told)
            seat->ready(seat->context, told);
    }
    p->batch = NULL;
    p->count = 0;
}

struct poller *poller_new(uv_loop_t *loop)
{
    struct poller *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->fd = epoll_create1(EPOLL_CLOEXEC);
    if (p->fd < 0 || uv_poll_init(loop, &p->poll, p->fd) != 0) {
        if (p->fd >= 0)
            close(p->fd);
        free(p);
        return NULL;
    }
    p->poll.data = p;
    return p;
}

void poller_free(struct poller *p)
{
    if (!p)
        return;
    p->freed = true;
    uv_close((uv_handle_t *)&p->poll, on_closed);
}

static bool count_up(struct poller *p)
{
    return p->polled++ > 0 || uv_poll_start(&p->poll, UV_READABLE, on_ready) == 0;
}

static void count_down(struct poller *p)
{
    if (--p->polled == 0 && !p->freed)
        uv_poll_stop(&p->poll);
}

/* Whoever closed the descriptor and opened another under its number may not have said so. */
static bool set(const struct poller *p, int fd, bool known, struct epoll_event *event)
{
    if (epoll_ctl(p->fd, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, event) == 0)
        return true;
    return (errno == ENOENT && known && epoll_ctl(p->fd, EPOLL_CTL_ADD, fd, event) == 0) ||
           (errno == EEXIST && !known && epoll_ctl(p->fd, EPOLL_CTL_MOD, fd, event) == 0);
}

bool poller_poll(struct poller *p, struct poller_seat *seat, int fd, int uv_events)
{
    if (seat->events && (seat->fd != fd || uv_events == 0))
        poller_drop(p, seat);
    if (uv_events == 0 || p->freed)
        return !p->freed;
    bool known = seat->events != 0;
    struct epoll_event event = {.data = {.ptr = seat}};
    event.events =
        (uv_events & UV_READABLE ? EPOLLIN : 0u) | (uv_events & UV_WRITABLE ? (uint32_t)EPOLLOUT : 0u);
    if (known && seat->events == uv_events)
        return true;
    if (!set(p, fd, known, &event))
        return false;
    seat->fd = fd;
    seat->events = uv_events;
    return known || count_up(p);
}

void poller_drop(struct poller *p, struct poller_seat *seat)
{
    if (!seat->events)
        return;
    epoll_ctl(p->fd, EPOLL_CTL_DEL, seat->fd, NULL); /* in vain where it is closed already */
    seat->events = 0;
    for (int i = p->next; i < p->count; i++)
        if (p->batch[i].data.ptr == seat)
            p->batch[i].data.ptr = NULL;
    count_down(p);
}
