#include "tui/output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/memory.h"

/* How often an output that the loop cannot poll is looked at. */
#define CHECK_AGAIN_MS 200
/* How long all readers together may hold up the end, once a signal has come. */
#define HURRIED_MS 1000

struct output {
    int fd;     /* the caller's, or our own open file description of the same pipe or terminal */
    bool own;   /* ours: it does not block, and the loop polls it */
    bool plain; /* a file: always ready */
    int error;  /* why it ended; 0: it has not */
    output_dropped_fn fn;
    void *context;
    struct buffer kept; /* for the reader */
    size_t taken;       /* so many of these bytes are written */
    uint64_t dropped;   /* whole lines, since the last notice to the reader */
    union {
        uv_handle_t any;
        uv_poll_t poll;
        uv_timer_t timer;
    } handle;
    bool has_handle;
};

static bool hurried;
static uint64_t hurried_until_ms; /* 0: nothing was waited for since */

void output_hurry(bool hurry)
{
    hurried = hurry;
    hurried_until_ms = hurry ? hurried_until_ms : 0;
}

/* False: a signal has come, and the reader did not. One that the program does not catch ends it here. */
static bool output_waits(int fd)
{
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    for (;;) {
        uint64_t now_ms = uv_hrtime() / 1000000;
        if (hurried && !hurried_until_ms)
            hurried_until_ms = now_ms + HURRIED_MS;
        int left_ms = hurried_until_ms > now_ms ? (int)(hurried_until_ms - now_ms) : 0;
        int found = poll(&ready, 1, hurried ? left_ms : -1);
        if (found >= 0 || errno != EINTR)
            return found != 0;
        output_hurry(true); /* the loop, which would tell of the signal, does not run meanwhile */
    }
}

int output_write(int fd, const char *bytes, size_t length)
{
    while (length) {
        if (!output_waits(fd))
            return ECANCELED;
        /* A pipe that is ready has room for this much; for more, writing to it would wait. */
        ssize_t written = write(fd, bytes, length < PIPE_BUF ? length : PIPE_BUF);
        if (written >= 0) {
            bytes += written;
            length -= (size_t)written;
        } else if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
            return errno;
        }
    }
    return 0;
}

bool output_is_gone(int error)
{
    return error == EPIPE || error == EBADF || error == ECONNRESET || error == EIO;
}

static void output_end(struct output *output, int error)
{
    if (output->error)
        return;
    output->error = error;
    buffer_clear(&output->kept);
    output->taken = 0;
}

/* Like write(2), never blocking: -1 with EAGAIN where the reader does not keep up. */
static ssize_t write_some(const struct output *output, const char *bytes, size_t length)
{
    if (!output->own && !output->plain) {
        struct pollfd ready = {.fd = output->fd, .events = POLLOUT};
        if (poll(&ready, 1, 0) == 0) {
            errno = EAGAIN;
            return -1;
        }
        /* A pipe that is ready has room for this much; for more, writing to it would wait. */
        if (length > PIPE_BUF)
            length = PIPE_BUF;
    }
    return write(output->fd, bytes, length);
}

static size_t write_ready(struct output *output, const char *bytes, size_t length)
{
    size_t done = 0;
    while (done < length && !output->error) {
        ssize_t written = write_some(output, bytes + done, length - done);
        if (written >= 0)
            done += (size_t)written;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            break;
        else if (errno != EINTR)
            output_end(output, errno);
    }
    return done;
}

static void output_on_poll(uv_poll_t *poll, int status, int events);

static size_t kept_length(const struct output *output)
{
    return output->kept.length - output->taken;
}

/* A pipe may take a page at a time: the rest is moved only when it is the smaller part. */
static void write_kept(struct output *output)
{
    size_t done = write_ready(output, output->kept.bytes + output->taken, kept_length(output));
    if (output->error)
        return;
    output->taken += done;
    if (output->taken < kept_length(output))
        return;
    buffer_drop(&output->kept, output->taken);
    output->taken = 0;
}

/* Polls for a reader that goes, and for room while something is kept. */
static void output_watch(struct output *output)
{
    if (output->own && output->has_handle)
        uv_poll_start(&output->handle.poll, UV_DISCONNECT | (kept_length(output) ? UV_WRITABLE : 0),
                      output_on_poll);
}

static void take_up(struct output *output)
{
    write_kept(output);
    if (output->error || !output->dropped || kept_length(output) > OUTPUT_ROOM / 2)
        return;
    output->fn(output->context, &output->kept, output->dropped);
    output->dropped = 0;
    write_kept(output);
}

static void output_on_poll(uv_poll_t *poll, int status, int events)
{
    struct output *output = poll->data;
    if (output->error)
        return;
    if (status < 0 || (events & UV_DISCONNECT)) {
        /* On the writing end of a pipe the loop reports a reader that went as an error. */
        uv_poll_stop(poll);
        output_end(output, EPIPE);
        return;
    }
    bool kept = kept_length(output) > 0;
    take_up(output);
    if (!output->error && kept && !kept_length(output))
        output_watch(output);
}

static void output_on_timer(uv_timer_t *timer)
{
    struct output *output = timer->data;
    struct pollfd ready = {.fd = output->fd, .events = 0};
    if (output->error)
        return;
    if (poll(&ready, 1, 0) > 0 && (ready.revents & (POLLERR | POLLHUP | POLLNVAL)))
        output_end(output, EPIPE);
    else
        take_up(output);
}

/*
 * Non-blocking is a property of the open file description, which the shell and other programs share with
 * us: so the same pipe or terminal is opened once more for ourselves. Where that cannot be (a socket,
 * another user's terminal, a system without /proc) readiness is asked before each write.
 */
static int output_open_again(int fd)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static bool watch_by_poll(struct output *output, uv_loop_t *loop)
{
    int again = output_open_again(output->fd);
    if (again < 0)
        return false;
    if (uv_poll_init(loop, &output->handle.poll, again) != 0) {
        close(again);
        return false;
    }
    output->fd = again;
    output->own = output->has_handle = true;
    output->handle.poll.data = output;
    output_watch(output);
    return true;
}

struct output *output_open(uv_loop_t *loop, int fd, output_dropped_fn dropped, void *context)
{
    struct output *output = xcalloc(1, sizeof *output);
    output->fd = fd;
    output->fn = dropped;
    output->context = context;
    struct stat status;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(fd, &status) != 0) {
        /* It was closed when the program began. */
        output_end(output, EBADF);
        return output;
    }
    output->plain = S_ISREG(status.st_mode) || S_ISBLK(status.st_mode);
    if (output->plain ||
        ((S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)) && watch_by_poll(output, loop)))
        return output;
    if (S_ISCHR(status.st_mode) && !isatty(fd)) {
        output->plain = true; /* /dev/null and its like */
        return output;
    }
    if (uv_timer_init(loop, &output->handle.timer) == 0) {
        output->has_handle = true;
        output->handle.timer.data = output;
        uv_timer_start(&output->handle.timer, output_on_timer, CHECK_AGAIN_MS, CHECK_AGAIN_MS);
    }
    return output;
}

int output_error(const struct output *output)
{
    return output->error;
}

void output_line(struct output *output, const char *line, size_t length)
{
    if (output->error)
        return;
    size_t done = 0;
    if (!kept_length(output) && !output->dropped)
        done = write_ready(output, line, length);
    if (output->error || done == length)
        return;
    /* A line that has begun is finished; another one is kept whole or not at all. */
    if (!done && (output->dropped || kept_length(output) + length > OUTPUT_ROOM)) {
        output->dropped++;
        return;
    }
    bool first = !kept_length(output);
    buffer_put(&output->kept, line + done, length - done);
    if (first)
        output_watch(output);
}

void output_flush(struct output *output, int wait_ms)
{
    uint64_t until = uv_hrtime() / 1000000 + (uint64_t)wait_ms;
    while (!output->error && (kept_length(output) || output->dropped)) {
        take_up(output);
        uint64_t now = uv_hrtime() / 1000000;
        if (output->error || !kept_length(output) || now >= until)
            return;
        struct pollfd ready = {.fd = output->fd, .events = POLLOUT};
        poll(&ready, 1, (int)(until - now));
    }
}

static void output_on_closed(uv_handle_t *handle)
{
    struct output *output = handle->data;
    if (output->own)
        close(output->fd);
    buffer_free(&output->kept);
    free(output);
}

void output_close(struct output *output)
{
    if (!output)
        return;
    if (output->has_handle) {
        uv_close(&output->handle.any, output_on_closed);
        return;
    }
    buffer_free(&output->kept);
    free(output);
}
