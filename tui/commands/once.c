/*
 * once.c - one complete look, as a table or as JSON; two at the servers, where a second can settle what the
 * first made suspect, unless it shall be --quick.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/history/preload.h"
#include "probe/clock.h"
#include "probe/loop_timer.h"
#include "probe/history/recording_file.h"
#include "probe/monitor.h"
#include "probe/json/json_snapshot.h"
#include "tui/commands/command.h"
#include "tui/commands/shutdown.h"
#include "tui/commands/recording.h"
#include "tui/commands/messages.h"
#include "tui/commands/exit_code.h"
#include "tui/output/snapshot_forms.h"
#include "tui/output/snapshot_text.h"
#include "tui/words/election_filter.h"

/* With what the configured history knows, where there is one and it can be read:
   a look is no less without. */
static void write_json(struct buffer *out, const struct model *model, const struct invocation *invocation)
{
    const struct history_settings *settings = &invocation->settings->history;
    struct moment now = clock_now();
    char *error = NULL, *file = NULL;
    if (settings->given && strcmp(settings->file, "off") != 0)
        file = recording_file_choose(settings, true, &error);
    struct history *history = file ? history_open(file, &error) : NULL;
    struct recording_kept kept = {history, now.wall_us};
    json_snapshot_write_kept(out, model, now, history ? recording_figures : NULL, &kept);
    history_close(history);
    free(file);
    free(error);
}

static bool once_print_look(struct buffer *out, const struct model *model,
                            const struct invocation *invocation)
{
    const char *form = invocation->options->form ? invocation->options->form : "";
    if (invocation->options->json) {
        write_json(out, model, invocation);
        return !buffer_failed(out);
    }
    if (strcmp(form, "yaml") == 0) {
        struct buffer json = {0};
        write_json(&json, model, invocation);
        bool fine = !buffer_failed(&json) && snapshot_yaml_write(out, &json);
        buffer_free(&json);
        return fine;
    }
    if (strcmp(form, "csv") == 0) {
        snapshot_csv_write(out, model, clock_now());
        return !buffer_failed(out);
    }
    struct print_style how = print_style_choose(invocation->options, invocation->settings, STDOUT_FILENO);
    if (strcmp(form, "wide") == 0)
        how.width = 0;
    return snapshot_text_print(out, model, clock_now(), &how);
}

static bool once_wants(const void *context, const struct election *election)
{
    const struct options *options = context;
    return !options->filter || election_filter_match(options->filter, election, clock_now());
}

/* How far the search is, for a person who waits: on a terminal, on standard error, and gone at the end. */
struct progress {
    const struct model *model;
    uint64_t begun_ms;
    bool shown;
};

static void once_on_progress(uv_timer_t *timer)
{
    struct progress *progress = timer->data;
    size_t found = 0;
    for (size_t i = 0; i < progress->model->cluster_count; i++)
        found += progress->model->clusters[i].election_count;
    fprintf(stderr, "\r\033[Kelectop: looking, %zu election%s so far, %llu s", found, found == 1 ? "" : "s",
            (unsigned long long)(uv_now(timer->loop) - progress->begun_ms) / 1000);
    fflush(stderr);
    progress->shown = true;
}

static uv_timer_t *progress_begin(uv_loop_t *loop, struct progress *progress)
{
    uv_timer_t *timer = isatty(STDERR_FILENO) && isatty(STDOUT_FILENO) ? loop_timer_new(loop, progress) : NULL;
    progress->begun_ms = uv_now(loop);
    if (timer)
        uv_timer_start(timer, once_on_progress, 1000, 500);
    return timer;
}

static void progress_end(uv_timer_t *timer, const struct progress *progress)
{
    loop_timer_free(timer);
    if (progress->shown)
        fputs("\r\033[K", stderr);
}

int command_once_on(uv_loop_t *loop, const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    char *error = NULL;
    struct shutdown ending;
    struct buffer out = {0};
    bool caught = shutdown_begin(&ending, loop, options->wait_ms, 0);
    struct monitor *monitor = caught ? monitor_start(loop, invocation->settings, &error) : NULL;
    struct preload *earlier = monitor ? preload_begin(loop, monitor, &invocation->settings->history) : NULL;
    int status = EXIT_USAGE;
    bool printed = false;
    if (monitor) {
        const struct model *model = monitor_model(monitor);
        uint64_t until_ms = uv_now(loop) + (uint64_t)options->wait_ms;
        struct progress progress = {.model = model};
        uv_timer_t *shows = progress_begin(loop, &progress);
        monitor_ask(monitor);
        if (options->quick)
            monitor_one_look(monitor);
        else
            preload_follow(earlier);
        while (!ending.signal && !ending.passed[0] &&
               !(options->quick ? monitor_looked(monitor)
                                : monitor_settled(monitor, until_ms) && !preload_waits(earlier)))
            uv_run(loop, UV_RUN_ONCE);
        preload_end(earlier);
        progress_end(shows, &progress);
        struct picked_model picked = {0};
        if (!ending.signal) {
            bool cut = monitor_cut(monitor);
            monitor_catch_up(monitor);
            bool enough = picked_model_make(&picked, model, once_wants, options);
            model = enough ? &picked.model : model;
            status = cut ? exit_code_unsearched(model, options) : exit_code_status(model, options->strict);
            printed = enough && once_print_look(&out, model, invocation);
            if (status == EXIT_NO_LOOK && !cut)
                exit_code_complain(model, options->wait_ms);
            else if (options->strict && !cut && exit_code_complain_unjudged(model, invocation->settings))
                status = EXIT_FOUND;
        }
        picked_model_release(&picked);
    }
    /* The session ends before the reader is waited for: the servers need not keep it meanwhile. */
    monitor_stop(monitor);
    shutdown_finish(&ending, loop);
    if (ending.signal)
        status = 128 + ending.signal;
    else if (printed)
        status = message_buffer(&out, status);
    else
        complain("%s", error ? error : "out of memory; nothing can be shown");
    buffer_free(&out);
    free(error);
    return status;
}

int command_once(const struct invocation *invocation)
{
    return loop_run(command_once_on, invocation);
}
