#include "probe/zookeeper/session_linger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define WAIT_MS 1000

struct session_linger {
    uv_poll_t poll;
    uv_timer_t timer;
    int fd, open;
};

static void session_linger_on_closed(uv_handle_t *handle)
{
    struct session_linger *f = handle->data;
    if (--f->open > 0)
        return;
    close(f->fd);
    free(f);
}

static void session_linger_finish(struct session_linger *f)
{
    if (uv_is_closing((uv_handle_t *)&f->timer))
        return;
    uv_close((uv_handle_t *)&f->timer, session_linger_on_closed);
    uv_close((uv_handle_t *)&f->poll, session_linger_on_closed);
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
    struct session_linger *f = poll->data;
    if (drain(f->fd) || status < 0)
        session_linger_finish(f);
}

static void session_linger_on_late(uv_timer_t *timer)
{
    struct session_linger *f = timer->data;
    drain(f->fd);
    session_linger_finish(f);
}

int session_linger_hold(int fd)
{
    return fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
}

void session_linger_wait(uv_loop_t *loop, int held)
{
    if (held < 0)
        return;
    struct session_linger *f = calloc(1, sizeof *f);
    if (!f || uv_poll_init(loop, &f->poll, held) != 0) {
        free(f);
        close(held);
        return;
    }
    f->fd = held;
    f->open = 2;
    f->poll.data = f->timer.data = f;
    uv_timer_init(loop, &f->timer);
    uv_timer_start(&f->timer, session_linger_on_late, WAIT_MS, 0);
    if (uv_poll_start(&f->poll, UV_READABLE | UV_DISCONNECT, on_readable) != 0)
        session_linger_finish(f);
}
