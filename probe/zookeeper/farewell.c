#include "probe/zookeeper/farewell.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define WAIT_MS 1000

struct farewell {
    uv_poll_t poll;
    uv_timer_t timer;
    int fd, open;
};

static void on_closed(uv_handle_t *handle)
{
    struct farewell *f = handle->data;
    if (--f->open > 0)
        return;
    close(f->fd);
    free(f);
}

static void finish(struct farewell *f)
{
    if (uv_is_closing((uv_handle_t *)&f->timer))
        return;
    uv_close((uv_handle_t *)&f->timer, on_closed);
    uv_close((uv_handle_t *)&f->poll, on_closed);
}

/* Whether nothing more can come. */
static bool drain(int fd)
{
    char waste[65536];
    ssize_t got;
    do
        got = recv(fd, waste, sizeof waste, MSG_DONTWAIT);
    while (got > 0);
    return got == 0 || (errno != EAGAIN && errno != EINTR);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    (void)events;
    struct farewell *f = poll->data;
    if (drain(f->fd) || status < 0)
        finish(f);
}

static void on_late(uv_timer_t *timer)
{
    struct farewell *f = timer->data;
    drain(f->fd);
    finish(f);
}

int farewell_hold(int fd)
{
    return fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
}

void farewell_ask_end(int held)
{
    /* Length, number of the request, its kind: closeSession (-11). */
    static const unsigned char request[] = {0, 0, 0, 8, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xf5};
    if (held >= 0)
        (void)send(held, request, sizeof request, MSG_DONTWAIT | MSG_NOSIGNAL); /* in vain: it expires */
}

void farewell_hurry(int held)
{
    if (held >= 0)
        shutdown(held, SHUT_RD);
}

void farewell_wait(uv_loop_t *loop, int held, bool hurried)
{
    if (held < 0)
        return;
    struct farewell *f = calloc(1, sizeof *f);
    if (!f || uv_poll_init(loop, &f->poll, held) != 0) {
        free(f);
        close(held);
        return;
    }
    f->fd = held;
    f->open = 2;
    f->poll.data = f->timer.data = f;
    uv_timer_init(loop, &f->timer);
    uv_timer_start(&f->timer, on_late, WAIT_MS, 0);
    if (!hurried && uv_poll_start(&f->poll, UV_READABLE | UV_DISCONNECT, on_readable) != 0)
        finish(f);
}
