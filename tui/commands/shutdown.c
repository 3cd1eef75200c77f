#include "probe/transport/transport.h"
#include "tui/commands/command_output.h"
#include "tui/commands/shutdown.h"
#include "tui/output/output.h"
#include "tui/screen/tty.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* Beside the half second that the end of a session may take. */
#define LAST_HANDLES_MS 300
/* So long a thread may take to release a ticket. */
#define TICKETS_MS 100
/* Of the loop, the terminal, a recording and a few servers. */
#define DESCRIPTORS_LEAST 32

static const int numbers[SHUTDOWN_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

static void shutdown_on_signal(uv_signal_t *handle, int number)
{
    struct shutdown *ending = handle->data;
    output_hurry(true);
    if (ending->in_order)
        tty_deadline_lift();
    if (!ending->signal)
        ending->signal = number;
}

static void shutdown_on_deadline(uv_timer_t *timer)
{
    struct shutdown *ending = timer->data;
    ending->passed[timer - ending->deadlines] = true;
}

bool shutdown_begin(struct shutdown *ending, uv_loop_t *loop, int64_t first_ms, int64_t second_ms)
{
    const int64_t deadlines_ms[2] = {first_ms, second_ms};
    *ending = (struct shutdown){0};
    command_output_begin(loop);
    /* A reader that goes is noticed by the writing itself. */
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < 2; i++) {
        uv_timer_init(loop, &ending->deadlines[i]);
        ending->deadlines[i].data = ending;
        ending->open++;
        if (deadlines_ms[i] > 0)
            uv_timer_start(&ending->deadlines[i], shutdown_on_deadline, (uint64_t)deadlines_ms[i], 0);
    }
    for (int i = 0; i < SHUTDOWN_SIGNALS; i++) {
        if (uv_signal_init(loop, &ending->signals[i]) != 0)
            return false;
        ending->signals[i].data = ending;
        ending->signal_count++;
        ending->open++;
        if (uv_signal_start(&ending->signals[i], shutdown_on_signal, numbers[i]) != 0)
            return false;
    }
    tty_deadline_arm(false);
    return true;
}

static void shutdown_on_closed(uv_handle_t *handle)
{
    struct shutdown *ending = handle->data;
    ending->open--;
}

/* A command that ends for one signal ends in order: another one that comes now does not kill it. */
static void signals_close(struct shutdown *ending)
{
    sigset_t blocked, before;
    sigemptyset(&blocked);
    for (int i = 0; i < SHUTDOWN_SIGNALS; i++)
        sigaddset(&blocked, numbers[i]);
    sigprocmask(SIG_BLOCK, &blocked, &before); /* closing a handle gives its signal back the power to kill */
    for (int i = 0; i < ending->signal_count; i++)
        uv_close((uv_handle_t *)&ending->signals[i], shutdown_on_closed);
    for (int i = 0; ending->signal && i < ending->signal_count; i++)
        signal(numbers[i], SIG_IGN);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void shutdown_finish(struct shutdown *ending, uv_loop_t *loop)
{
    for (int i = 0; i < 2; i++)
        uv_close((uv_handle_t *)&ending->deadlines[i], shutdown_on_closed);
    command_output_end();
    signals_close(ending);
    while (ending->open)
        uv_run(loop, UV_RUN_ONCE);
}

static void shutdown_on_late(uv_timer_t *timer)
{
    *(bool *)timer->data = true;
}

static int loop_end(uv_loop_t *loop, int status)
{
    bool late = false;
    uv_timer_t timer;
    uv_timer_init(loop, &timer);
    timer.data = &late;
    uv_timer_start(&timer, shutdown_on_late, LAST_HANDLES_MS, 0);
    uv_unref((uv_handle_t *)&timer);
    while (!late && uv_run(loop, UV_RUN_ONCE))
        ;
    for (int i = 0; i < TICKETS_MS && transport_is_asking(); i++)
        uv_sleep(1);
    if (late || transport_is_asking()) {
        /* Libraries wait for their threads at exit, and these for a name server or a KDC. */
        fflush(NULL);
        _exit(status);
    }
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(loop, UV_RUN_DEFAULT);
    uv_loop_close(loop);
    return status;
}

/* Without a descriptor for its pipes libuv aborts, and other libraries report that memory is out. */
static bool loop_has_descriptors(void)
{
    int taken[DESCRIPTORS_LEAST], count = 0;
    while (count < DESCRIPTORS_LEAST && (taken[count] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)) >= 0)
        count++;
    for (int i = 0; i < count; i++)
        close(taken[i]);
    return count == DESCRIPTORS_LEAST;
}

int shutdown_run_loop(int (*command)(uv_loop_t *, const struct invocation *),
                      const struct invocation *invocation)
{
    uv_loop_t loop;
    if (!loop_has_descriptors() || uv_loop_init(&loop) != 0) {
        static const char reason[] = "too many open files; raise the limit of open files (ulimit -n)";
        if (invocation->options->command == COMMAND_CHECK)
            return check_refuse(reason);
        complain("%s", reason);
        return EXIT_USAGE;
    }
    int status = loop_end(&loop, command(&loop, invocation));
    transport_forget(NULL);
    return status;
}
