#define _GNU_SOURCE /* close_range() */
#include "tui/dashboard/foreground.h"

#include <errno.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "config/memory.h"

struct foreground {
    uv_process_t process;
    foreground_fn fn; /* NULL: its result is not wanted any more */
    void *context;
};

static void foreground_on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

/* A shell that was killed has left the terminal to a group of processes that is gone: who reads from the
   background would be stopped. A group that is there has it rightly: a shell's, where this job was sent to the
   background. */
static void take_terminal(void)
{
    pid_t group = tcgetpgrp(STDIN_FILENO);
    if (group <= 1 || kill(-group, 0) == 0 || errno != ESRCH)
        return;
    void (*before)(int) = signal(SIGTTOU, SIG_IGN);
    tcsetpgrp(STDIN_FILENO, getpgrp());
    signal(SIGTTOU, before);
}

static void foreground_on_exit(uv_process_t *process, int64_t status, int number)
{
    struct foreground *foreground = process->data;
    char how[64];
    take_terminal();
    if (number)
        snprintf(how, sizeof how, "was ended by signal %d", number);
    else
        snprintf(how, sizeof how, status ? "ended with status %d" : "ended", (int)status);
    if (foreground->fn)
        foreground->fn(foreground->context, how);
    uv_close((uv_handle_t *)process, foreground_on_closed);
}

struct foreground *foreground_begin(uv_loop_t *loop, char **arguments, foreground_fn fn, void *context,
                                    const char **error)
{
    /* Libraries open sockets that a program would inherit: sessions with servers, with their rights. */
    if (close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC) != 0) {
        *error = uv_strerror(-errno);
        return NULL;
    }
    struct foreground *foreground = xcalloc(1, sizeof *foreground);
    uv_stdio_container_t descriptors[3];
    for (int i = 0; i < 3; i++)
        descriptors[i] = (uv_stdio_container_t){.flags = UV_INHERIT_FD, .data.fd = i};
    uv_process_options_t options = {.exit_cb = foreground_on_exit,
                                    .file = arguments[0],
                                    .args = arguments,
                                    .stdio = descriptors,
                                    .stdio_count = 3};
    foreground->fn = fn;
    foreground->context = context;
    foreground->process.data = foreground;
    int failed = uv_spawn(loop, &foreground->process, &options);
    if (!failed)
        return foreground;
    *error = uv_strerror(failed);
    uv_close((uv_handle_t *)&foreground->process, foreground_on_closed);
    return NULL;
}

void foreground_continue(struct foreground *foreground)
{
    uv_process_kill(&foreground->process, SIGCONT);
}

void foreground_end(struct foreground *foreground)
{
    if (!foreground)
        return;
    foreground->fn = NULL;
    uv_process_kill(&foreground->process, SIGTERM);
    uv_close((uv_handle_t *)&foreground->process, foreground_on_closed);
}
