#include "probe/zookeeper/descriptor_poll.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "config/memory.h"

/* Events in one batch, as many as libuv takes. */
#define BATCH 1024

struct descriptor_poll {
    uv_poll_t poll;
    int fd;
    size_t polled;             /* seats; without any the loop may end */
    struct epoll_event *batch; /* being delivered; NULL: none */
    int next, count;           /* of it */
    bool freed;
};

static void descriptor_poll_on_closed(uv_handle_t *handle)
{
    struct descriptor_poll *p = handle->data;
    close(p->fd);
    free(p);
}

/* Filters out events that are no longer wanted: that may have changed since the kernel reported them. Errors
 * are always delivered. */
static int descriptor_poll_reported_of(uint32_t events, int wanted)
{
    int reported = (events & EPOLLIN ? UV_READABLE : 0) | (events & EPOLLOUT ? UV_WRITABLE : 0);
    reported &= wanted;
    if (events & (EPOLLERR | EPOLLHUP))
        reported |= UV_READABLE;
    if (events & EPOLLERR)
        reported |= UV_WRITABLE;
    return reported;
}

static void descriptor_poll_on_ready(uv_poll_t *poll, int status, int events)
{
    (void)status, (void)events;
    struct descriptor_poll *p = poll->data;
    struct epoll_event batch[BATCH];
    p->batch = batch;
    p->count = epoll_wait(p->fd, batch, BATCH, 0);
    for (p->next = 0; p->next < p->count;) {
        const struct epoll_event *event = &batch[p->next++];
        const struct descriptor_poll_seat *seat = event->data.ptr;
        int reported = seat ? descriptor_poll_reported_of(event->events, seat->events) : 0;
        if (reported)
            seat->ready(seat->context, reported);
    }
    p->batch = NULL;
    p->count = 0;
}

struct descriptor_poll *descriptor_poll_new(uv_loop_t *loop)
{
    struct descriptor_poll *p = xcalloc(1, sizeof *p);
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

void descriptor_poll_free(struct descriptor_poll *p)
{
    if (!p)
        return;
    p->freed = true;
    uv_close((uv_handle_t *)&p->poll, descriptor_poll_on_closed);
}

static bool count_up(struct descriptor_poll *p)
{
    return p->polled++ > 0 || uv_poll_start(&p->poll, UV_READABLE, descriptor_poll_on_ready) == 0;
}

static void count_down(struct descriptor_poll *p)
{
    if (--p->polled == 0 && !p->freed)
        uv_poll_stop(&p->poll);
}

/* A descriptor may have been closed and its number reused without notice. */
static bool set(const struct descriptor_poll *p, int fd, bool known, struct epoll_event *event)
{
    if (epoll_ctl(p->fd, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, event) == 0)
        return true;
    return (errno == ENOENT && known && epoll_ctl(p->fd, EPOLL_CTL_ADD, fd, event) == 0) ||
           (errno == EEXIST && !known && epoll_ctl(p->fd, EPOLL_CTL_MOD, fd, event) == 0);
}

bool descriptor_poll_poll(struct descriptor_poll *p, struct descriptor_poll_seat *seat, int fd, int uv_events)
{
    if (seat->events && (seat->fd != fd || uv_events == 0))
        descriptor_poll_drop(p, seat);
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

void descriptor_poll_drop(struct descriptor_poll *p, struct descriptor_poll_seat *seat)
{
    if (!seat->events)
        return;
    epoll_ctl(p->fd, EPOLL_CTL_DEL, seat->fd, NULL); /* fails if it is closed already */
    seat->events = 0;
    for (int i = p->next; i < p->count; i++)
        if (p->batch[i].data.ptr == seat)
            p->batch[i].data.ptr = NULL;
    count_down(p);
}

/* Descriptors that the program has open beside its sessions, including those that closed sessions hold for a
 * moment (session.c, session_linger_hold()). */
#define OTHERS 512

bool descriptors_make_room(size_t sessions, char **error)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)sessions + OTHERS;
    *error = NULL;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted)
        return true;
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max >= wanted) {
        limit.rlim_cur = wanted;
        if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
            return true;
    }
    char text[256];
    snprintf(text, sizeof text,
             "%zu sessions need %llu open files, and this process may have %llu; raise the limit (ulimit "
             "-n), or put "
             "several candidates on one session (--sessions shared:100)",
             sessions, (unsigned long long)wanted, (unsigned long long)limit.rlim_max);
    *error = xstrdup(text);
    return false;
}
