/*
 * once.c - one complete snapshot, as a table or as JSON, after a second poll where that can settle what the
 * first made suspect, unless it shall be --quick.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/text.h"
#include "probe/clock.h"
#include "probe/history/preload.h"
#include "probe/loop_timer.h"
#include "probe/monitor.h"
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"
#include "tui/commands/snapshot_exit.h"
#include "tui/commands/command_recording.h"
#include "tui/commands/shutdown.h"
#include "tui/output/output.h"
#include "tui/output/snapshot_forms.h"
#include "tui/words/election_filter.h"
#include "tui/words/format.h"

static bool once_wants(const void *context, const struct election *election)
{
    const struct options *options = context;
    return !options->filter || election_filter_match(options->filter, election, clock_now());
}

/* How far the search is, for a person who waits: on a terminal, on standard error, and gone at the end. */
struct progress {
    const struct model *model;
    uint64_t begun_ms;
};

static void once_on_progress(uv_timer_t *timer)
{
    struct progress *progress = timer->data;
    size_t found = 0;
    for (size_t i = 0; i < progress->model->cluster_count; i++)
        found += progress->model->clusters[i].election_count;
    command_output_progress("electop: searching, %zu election%s so far, %llu s", found, found == 1 ? "" : "s",
                            (unsigned long long)(uv_now(timer->loop) - progress->begun_ms) / 1000);
}

static uv_timer_t *progress_begin(uv_loop_t *loop, struct progress *progress)
{
    uv_timer_t *timer =
        isatty(STDERR_FILENO) && isatty(STDOUT_FILENO) ? loop_timer_new(loop, progress) : NULL;
    progress->begun_ms = uv_now(loop);
    if (timer)
        uv_timer_start(timer, once_on_progress, 1000, 500);
    return timer;
}

/* Appends the snapshot, and sets its exit code. */
static void once_print(struct buffer *out, const struct model *model, const struct invocation *invocation,
                       int *status)
{
    const struct options *options = invocation->options;
    struct history *history =
        options->json ? command_recording_configured(&invocation->settings->history) : NULL;
    struct picked_model picked = {0};
    picked_model_make(&picked, model, once_wants, options);
    *status = snapshot_exit_status(&picked.model, options->strict);
    command_recording_snapshot(out, &picked.model, clock_now(), invocation, history);
    picked_model_release(&picked);
    history_close(history);
}

/* ---- --watch ---- */

/* Changes come in groups: a leader goes, another follows, the findings move. One snapshot shows a group. */
#define GROUP_MS 200
/* Between two snapshots: a reader can follow that, and a churning election does not fill a disk. */
#define BETWEEN_MS 1000
#define FLUSH_MS 1000

struct once_watch {
    const struct invocation *invocation;
    struct monitor *monitor;
    uv_timer_t *timer;
    struct output *output;
    struct buffer shown; /* with a filter: the latest snapshot, without figures that grow by themselves */
    uint64_t printed_ms; /* uv_now() of the latest snapshot */
    int status;
};

/* A separator before another snapshot, in each form; in a table with the time. */
static void watch_separate(struct buffer *out, const struct options *options)
{
    char when[32];
    if (!options->json)
        buffer_printf(out, "\n%s\n", format_stamp(clock_now().wall_us, when, sizeof when));
}

/* With a filter most changes concern elections that are not shown: whether a shown one has changed. */
static bool watch_differs(struct once_watch *watch)
{
    struct picked_model picked = {0};
    struct buffer shown = {0};
    if (!watch->invocation->options->filter)
        return true;
    picked_model_make(&picked, monitor_model(watch->monitor), once_wants, watch->invocation->options);
    snapshot_csv_write(&shown, &picked.model, clock_now());
    picked_model_release(&picked);
    bool differs = shown.length != watch->shown.length ||
                   (shown.length > 0 && memcmp(shown.bytes, watch->shown.bytes, shown.length) != 0);
    buffer_free(&watch->shown);
    watch->shown = shown;
    return differs;
}

static void watch_append(struct once_watch *watch, struct buffer *out)
{
    monitor_catch_up(watch->monitor);
    watch_separate(out, watch->invocation->options);
    once_print(out, monitor_model(watch->monitor), watch->invocation, &watch->status);
}

static void watch_on_timer(uv_timer_t *timer)
{
    struct once_watch *watch = timer->data;
    struct buffer out = {0};
    if (!watch_differs(watch))
        return;
    watch_append(watch, &out);
    watch->printed_ms = uv_now(timer->loop);
    output_line(watch->output, out.bytes, out.length);
    buffer_free(&out);
}

static void once_on_event(void *context, const struct event *event)
{
    struct once_watch *watch = context;
    uint64_t now = uv_now(watch->timer->loop), next = watch->printed_ms + BETWEEN_MS;
    (void)event;
    if (!uv_is_active((const uv_handle_t *)watch->timer))
        uv_timer_start(watch->timer, watch_on_timer, next > now + GROUP_MS ? next - now : GROUP_MS, 0);
}

/* The reader was too slow for some snapshots: it gets the present one. */
static void watch_on_dropped(void *context, struct buffer *out, uint64_t count)
{
    (void)count;
    watch_append(context, out);
}

/* From the first snapshot, in out, until a signal, --for, or a reader that has gone. The exit code. */
static int watch_follow(uv_loop_t *loop, struct once_watch *watch, struct buffer *out,
                        struct shutdown *ending)
{
    watch->output = output_open(loop, STDOUT_FILENO, watch_on_dropped, watch);
    watch->timer = loop_timer_new(loop, watch);
    monitor_subscribe(watch->monitor, once_on_event, watch);
    watch_differs(watch);
    output_line(watch->output, out->bytes, out->length);
    watch->printed_ms = uv_now(loop);
    while (!ending->signal && !output_error(watch->output) && !ending->passed[1])
        uv_run(loop, UV_RUN_ONCE);
    monitor_unsubscribe(watch->monitor, once_on_event, watch);
    output_flush(watch->output, FLUSH_MS);
    loop_timer_free(watch->timer);
    int error = output_error(watch->output);
    output_close(watch->output);
    buffer_free(&watch->shown);
    return error ? command_output_ended(error, EXIT_DONE) : watch->status;
}

/* ---- the command ---- */

/* Until the first complete snapshot, --wait, or a signal. */
static void once_take(uv_loop_t *loop, struct monitor *monitor, const struct invocation *invocation,
                      struct shutdown *ending)
{
    const struct options *options = invocation->options;
    struct preload *earlier = preload_begin(loop, monitor, &invocation->settings->history);
    uint64_t until_ms = uv_now(loop) + (uint64_t)options->wait_ms;
    struct progress progress = {.model = monitor_model(monitor)};
    uv_timer_t *shows = progress_begin(loop, &progress);
    monitor_ask(monitor);
    if (options->quick && !options->watch)
        monitor_one_poll(monitor, true);
    else
        preload_follow(earlier);
    while (!ending->signal && !ending->passed[0] &&
           !(options->quick || options->watch
                 ? monitor_complete(monitor)
                 : monitor_settled(monitor, until_ms) && !preload_waits(earlier)))
        uv_run(loop, UV_RUN_ONCE);
    preload_end(earlier);
    loop_timer_free(shows);
    command_output_progress(NULL);
}

/* What the first snapshot is worth: its exit code, and why, on standard error, where it is none or not
 * enough. */
static int once_judge(struct monitor *monitor, const struct invocation *invocation, int status)
{
    const struct options *options = invocation->options;
    const struct model *model = monitor_model(monitor);
    if (status == EXIT_NO_SNAPSHOT)
        snapshot_exit_complain(model, options->wait_ms);
    else if (options->strict && snapshot_exit_complain_unjudged(model, invocation->settings))
        return EXIT_FOUND;
    return status;
}

/* The snapshot in out, its exit code in *status. */
static void once_first(struct monitor *monitor, const struct invocation *invocation, struct buffer *out,
                       int *status)
{
    /* A user who keeps watching does not need everything at once. */
    bool cut = !invocation->options->watch && monitor_cut(monitor);
    monitor_catch_up(monitor);
    once_print(out, monitor_model(monitor), invocation, status);
    *status = cut ? snapshot_exit_unsearched(monitor_model(monitor), invocation->options)
                  : once_judge(monitor, invocation, *status);
}

int command_once_on(uv_loop_t *loop, const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    char *error = NULL;
    struct shutdown ending;
    struct buffer out = {0};
    bool caught = shutdown_begin(&ending, loop, options->wait_ms, options->for_ms);
    struct monitor *monitor = caught ? monitor_start(loop, invocation->settings, &error) : NULL;
    int status = EXIT_USAGE;
    bool printed = false, watched = false;
    if (monitor) {
        once_take(loop, monitor, invocation, &ending);
        printed = !ending.signal;
        if (printed)
            once_first(monitor, invocation, &out, &status);
        watched = printed && options->watch && status != EXIT_NO_SNAPSHOT;
    }
    if (watched)
        status = watch_follow(
            loop, &(struct once_watch){.invocation = invocation, .monitor = monitor, .status = status}, &out,
            &ending);
    /* The session ends before the reader is waited for: the servers need not keep it meanwhile. */
    monitor_stop(monitor);
    shutdown_finish(&ending, loop);
    if (ending.signal)
        status = 128 + ending.signal;
    else if (printed && !watched)
        status = command_output_buffer(&out, status);
    else if (!watched)
        complain("%s", error ? error : "cannot take a snapshot; raise the limit of open files (ulimit -n)");
    buffer_free(&out);
    free(error);
    return status;
}
