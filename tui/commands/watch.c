/*
 * watch.c - the dashboard on live clusters.
 */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/text.h"
#include "probe/clock.h"
#include "probe/history/history.h"
#include "probe/history/preload.h"
#include "probe/history/recording_file.h"
#include "probe/history/recorder.h"
#include "probe/monitor.h"
#include "tui/commands/command.h"
#include "tui/commands/shutdown.h"
#include "tui/commands/private_place.h"
#include "tui/commands/messages.h"
#include "tui/views/event_log.h"
#include "tui/words/mutes.h"
#include "tui/dashboard/run_control.h"
#include "tui/dashboard/main_loop.h"

/* A recording for one run alone is no archive. */
#define PRIVATE_KEEP_MS (INT64_C(24) * 3600 * 1000)

struct watch {
    struct monitor *monitor;
    struct event_log *events;
    struct preload *earlier;   /* what the history holds of before; or NULL */
    struct recorder *recorder; /* NULL: nothing is recorded ... */
    char *complaint;           /* ... for this reason; NULL: it has been said, or all is well */
    bool failing;              /* it could not write a second ago */
    struct replay *past;       /* what one can go back to; NULL: nothing ... */
    char *why_not;             /* ... for this reason; or NULL */
    char *directory;           /* of a recording for this run alone; or NULL */
};

static bool watch_on_mute(void *context, const struct event *event)
{
    (void)context;
    mutes_take(event);
    return true;
}

/* The mutes of earlier runs, as far as they may last. */
static void recall_mutes(const char *file)
{
    static const struct history_filter only = {.events = UINT64_C(1) << EVENT_FINDING_MUTED};
    char *error = NULL;
    struct history *history = history_open(file, &error);
    int64_t now_us = clock_wall_us();
    if (history)
        history_events(history, &only, now_us - MUTE_MOST_MS * 1000, now_us, watch_on_mute, NULL, &error);
    history_close(history);
    free(error); /* the recorder says what is wrong with it */
}

static void watch_mute(void *context, const struct event *event)
{
    struct watch *watch = context;
    event_log_add(watch->events, event);
    if (watch->recorder)
        recorder_event(watch->recorder, event);
}

/* Who is at the keyboard. */
static const char *watch_author(void)
{
    const char *sudo = getenv("SUDO_USER"), *user = getenv("USER");
    struct passwd *entry = sudo || user ? NULL : getpwuid(getuid());
    return sudo && *sudo ? sudo : user && *user ? user : entry ? entry->pw_name : "?";
}

static bool watch_looked(void *context)
{
    struct watch *watch = context;
    return monitor_looked(watch->monitor);
}

static void watch_clear(void *context, const char *cluster, const char *election, const char *candidate)
{
    struct watch *watch = context;
    monitor_clear(watch->monitor, cluster, election, candidate);
}

/* Once for each problem: the screen matters more. */
static char *complaint(void *context)
{
    struct watch *watch = context;
    char *said = watch->complaint;
    watch->complaint = NULL;
    if (said || !watch->recorder)
        return said;
    char *problem = recorder_problem(watch->recorder);
    bool fresh = problem && !watch->failing;
    watch->failing = problem != NULL;
    if (fresh)
        return problem;
    free(problem);
    return recorder_take_notice(watch->recorder);
}

/*
 * Into the configured recording, which stays; if another process already records there, that one is
 * used. A failure is no reason not to watch.
 */
static void record(struct watch *watch, uv_loop_t *loop, const struct history_settings *history,
                   struct event_log *events)
{
    char *file = recording_file_choose(history, false, &watch->complaint);
    if (!file)
        return;
    watch->past = replay_new(file);
    recall_mutes(file);
    watch->earlier = preload_begin(loop, watch->monitor, history);
    if (watch->earlier && watch->past)
        replay_tell(watch->past, events);
    watch->recorder = recorder_start(loop, watch->monitor, file, history->keep_ms, &watch->complaint);
    if (!watch->recorder)
        preload_follow(watch->earlier);
    free(file);
}

/* No history is configured: a private recording for this run, so that one can go back in time. */
static void record_privately(struct watch *watch, uv_loop_t *loop)
{
    watch->directory = private_place_make(&watch->why_not);
    char *file = watch->directory ? text_format("%s/history.db", watch->directory) : NULL;
    if (!file)
        return;
    watch->recorder = recorder_start(loop, watch->monitor, file, PRIVATE_KEEP_MS, &watch->why_not);
    if (watch->recorder)
        watch->past = replay_new(file);
    free(file);
}

static void begin_recording(struct watch *watch, uv_loop_t *loop, const struct invocation *invocation,
                            struct event_log *events)
{
    const struct history_settings *history = &invocation->settings->history;
    /* The demo has its own cluster. */
    bool demo = invocation->options->command != COMMAND_WATCH;
    if (!demo && strcmp(history->file, "off") == 0)
        watch->why_not = text_format("history is off in the configuration: there is no going back");
    else if (!demo && history->given)
        record(watch, loop, history, events);
    else
        record_privately(watch, loop);
}

int command_watch_on(uv_loop_t *loop, const struct invocation *invocation)
{
    char *error = NULL;
    int status = EXIT_USAGE;
    struct event_log *events = event_log_new();
    struct watch watch = {.events = events};
    watch.monitor = events ? monitor_start(loop, invocation->settings, &error) : NULL;
    if (watch.monitor)
        monitor_attend(watch.monitor);
    if (watch.monitor && monitor_subscribe(watch.monitor, event_log_add, events)) {
        begin_recording(&watch, loop, invocation, events);
        struct run_control *bench =
            run_control_new(loop, invocation->settings, invocation->options->command != COMMAND_WATCH);
        struct main_loop show = {
            .loop = loop,
            .settings = invocation->settings,
            .color = invocation->options->color,
            .filter = invocation->options->filter,
            .sort = invocation->options->sort,
            .columns = invocation->options->columns,
            .model = monitor_model(watch.monitor),
            .events = events,
            .past = watch.past,
            .why_not = watch.why_not,
            .looked = watch_looked,
            .clear = watch_clear,
            .complaint = complaint,
            .mute = watch_mute,
            .author = watch_author(),
            .control = bench ? run_control_workbench(bench) : NULL,
            .context = &watch,
        };
        status = main_loop_run(&show, &error);
        run_control_free(bench);
    } else if (!error) {
        complain("out of memory; nothing can be watched");
    }
    char *problem;
    replay_free(watch.past);
    if (!recorder_stop(watch.recorder, &problem) && !watch.directory)
        complain("%s", problem ? problem : "not everything could be recorded");
    free(problem);
    preload_end(watch.earlier);
    mutes_forget();
    private_place_remove(watch.directory);
    free(watch.complaint);
    free(watch.why_not);
    monitor_stop(watch.monitor);
    event_log_free(events);
    if (error)
        complain("%s", error);
    free(error);
    return status;
}

int command_watch(const struct invocation *invocation)
{
    return loop_run(command_watch_on, invocation);
}
