/*
 * watch.c - the dashboard on live clusters.
 */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/text.h"
#include "probe/alert/alert_book.h"
#include "probe/clock.h"
#include "probe/history/history.h"
#include "probe/history/preload.h"
#include "probe/history/recorder.h"
#include "probe/history/recording_file.h"
#include "probe/log.h"
#include "probe/monitor.h"
#include "probe/transport/transport.h"
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"
#include "tui/commands/private_directory.h"
#include "tui/commands/shutdown.h"
#include "tui/dashboard/main_loop.h"
#include "tui/dashboard/run_control.h"
#include "tui/dashboard/tell.h"
#include "tui/views/event_log.h"
#include "tui/words/mutes.h"

/* A recording for one run alone is no archive. */
#define PRIVATE_KEEP_MS (INT64_C(24) * 3600 * 1000)
/* After a reload, an election that is not known again by then has changed. */
#define KNOWN_AGAIN_MS 10000

struct watch {
    struct monitor *monitor;
    struct event_log *events;
    struct preload *earlier;   /* the recording's earlier content; or NULL */
    struct recorder *recorder; /* NULL: nothing is recorded ... */
    char *complaint;           /* ... for this reason; NULL: it has been said, or all is well */
    bool beside;               /* ... which is that another process records there */
    bool failing;              /* it could not write a second ago */
    bool rings;                /* something happened that the bell is for */
    struct replay *past;       /* what one can go back to; NULL: nothing ... */
    char *why_not;             /* ... for this reason; or NULL */
    char *directory;           /* of a recording for this run alone; or NULL */
    const struct invocation *invocation;
    const struct settings *settings;
    struct settings *next; /* read again, to be shown from now on; or NULL */
    struct tells tells;
    uint64_t known_ms; /* by this time of the loop's clock a reloaded model knows its elections; 0: it does */
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
    free(error); /* the recorder reports the problem */
}

/* Problems before the first complete snapshot are not new. */
static void watch_on_event(void *context, const struct event *event)
{
    struct watch *watch = context;
    const struct finding *finding = event->kind == EVENT_FINDING_RAISED ? event->finding : NULL;
    if (watch->settings->screen.bell && finding && finding->certainty == CERTAINTY_CERTAIN &&
        finding->severity >= SEVERITY_ERROR && monitor_complete(watch->monitor) &&
        !mutes_of(event->election, finding, event->at))
        watch->rings = true;
}

static bool watch_rings(void *context)
{
    struct watch *watch = context;
    bool rings = watch->rings;
    watch->rings = false;
    return rings;
}

static bool watch_tells_now(void *context)
{
    struct watch *watch = context;
    if (watch->known_ms && monitor_settled(watch->monitor, watch->known_ms))
        watch->known_ms = 0;
    return watch->known_ms == 0;
}

static bool watch_mute(void *context, const struct event *event)
{
    struct watch *watch = context;
    event_log_add(watch->events, event);
    if (watch->recorder)
        recorder_event(watch->recorder, event);
    return watch->recorder && !watch->directory;
}

/* Who is at the keyboard. */
static const char *watch_author(void)
{
    const char *sudo = getenv("SUDO_USER"), *user = getenv("USER");
    struct passwd *entry = sudo || user ? NULL : getpwuid(getuid());
    return sudo && *sudo ? sudo : user && *user ? user : entry ? entry->pw_name : "?";
}

static bool watch_settle(void *context, bool begin)
{
    struct watch *watch = context;
    return !watch->recorder || recorder_settle(watch->recorder, begin);
}

static bool watch_complete(void *context)
{
    struct watch *watch = context;
    return monitor_complete(watch->monitor);
}

/* A wrong file changes nothing: its first error is said. */
static bool watch_reload(void *context, char *problem, size_t size)
{
    struct watch *watch = context;
    const struct options *options = watch->invocation->options;
    char *error = NULL;
    bool captures = options->capture_count > 0;          /* packets come once */
    if (options->command != COMMAND_WATCH || captures) { /* whose servers are in no file */
        snprintf(problem, size, "%s",
                 captures ? "the configuration is not read again while packets are read"
                          : "the demo's configuration cannot be read again");
        return false;
    }
    struct settings *settings = command_settings_again(options, &error);
    if (settings && !error) {
        watch->next = settings;
        log_line(LOG_LEVEL_INFO, "%s: configuration reloaded", settings->file ? settings->file : "no file");
        return true;
    }
    log_line(LOG_LEVEL_WARNING, "kept the previous configuration: %s", error);
    snprintf(problem, size, "nothing was changed: %.*s", (int)strcspn(error, "\n"), error);
    settings_free(settings);
    free(error);
    return false;
}

static void watch_clear(void *context, const char *cluster, const char *election, const char *candidate)
{
    struct watch *watch = context;
    monitor_clear(watch->monitor, cluster, election, candidate);
}

/* Once for each problem: the screen matters more. */
static char *complaint(void *context, bool *expected)
{
    struct watch *watch = context;
    char *said = watch->complaint;
    *expected = watch->beside;
    watch->complaint = NULL;
    watch->beside = false;
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
    if (watch->earlier)
        replay_report(watch->past, events);
    watch->recorder = recorder_start(loop, watch->monitor, file, history->keep_ms, &watch->complaint);
    watch->beside = !watch->recorder && recording_file_is_taken(file);
    if (!watch->recorder)
        preload_follow(watch->earlier);
    free(file);
}

/* No history is configured: a private recording for this run, so that one can go back in time. */
static void record_privately(struct watch *watch, uv_loop_t *loop)
{
    char *problem = NULL;
    if (!watch->directory)
        watch->directory = private_directory_make(&problem);
    if (problem)
        watch->why_not = text_format("you cannot go back in time: %s", problem);
    free(problem);
    if (!watch->directory)
        return;
    char *file = text_format("%s/history.db", watch->directory);
    watch->recorder = recorder_start(loop, watch->monitor, file, PRIVATE_KEEP_MS, &watch->why_not);
    if (watch->recorder)
        watch->past = replay_new(file);
    free(file);
}

static void begin_recording(struct watch *watch, uv_loop_t *loop, struct event_log *events)
{
    const struct history_settings *history = &watch->settings->history;
    /* The demo has its own cluster. */
    bool demo = watch->invocation->options->command != COMMAND_WATCH;
    if (!demo && strcmp(history->file, "off") == 0)
        watch->why_not = text_format("history is off in the configuration: you cannot go back in time");
    else if (!demo && history->given)
        record(watch, loop, history, events);
    else
        record_privately(watch, loop);
}

/* With one configuration. MAIN_LOOP_RELOAD: another one is to follow. */
static int watch_show(struct watch *watch, uv_loop_t *loop, char **error)
{
    const struct options *options = watch->invocation->options;
    int status = EXIT_USAGE;
    watch->monitor = monitor_start(loop, watch->settings, error);
    if (watch->monitor) {
        monitor_attend(watch->monitor);
        monitor_subscribe(watch->monitor, event_log_add, watch->events);
        monitor_subscribe(watch->monitor, watch_on_event, watch);
        begin_recording(watch, loop, watch->events);
        /* Without actions at the start, no command can run any more: see confine.h. */
        bool late = watch->invocation->settings->action_count == 0 && watch->settings->action_count > 0;
        if (watch->settings != watch->invocation->settings && !watch->complaint)
            watch->complaint =
                text_copy(late ? "the configuration was read again: restart electop to use actions"
                               : "the configuration was read again");
        struct run_control *control =
            run_control_new(loop, watch->settings, options->command != COMMAND_WATCH);
        struct main_loop show = {
            .loop = loop,
            .settings = watch->settings,
            .color = options->color,
            .filter = options->filter,
            .sort = options->sort,
            .columns = options->columns,
            .model = monitor_model(watch->monitor),
            .events = watch->events,
            .past = watch->past,
            .why_not = watch->why_not,
            .complete = watch_complete,
            .clear = watch_clear,
            .complaint = complaint,
            .mute = watch_mute,
            .tells = &watch->tells,
            .tells_now = watch_tells_now,
            .author = watch_author(),
            .settle = watch_settle,
            .rings = watch_rings,
            .reload = watch_reload,
            .control = control ? run_control_interface_of(control) : NULL,
            .context = watch,
        };
        status = main_loop_run(&show, error);
        run_control_free(control);
    }
    return status;
}

static void watch_end(struct watch *watch)
{
    char *problem;
    replay_free(watch->past);
    if (!recorder_stop(watch->recorder, &problem) && !watch->directory)
        complain("%s", problem ? problem : "not everything could be recorded");
    free(problem);
    preload_end(watch->earlier);
    free(watch->complaint);
    free(watch->why_not);
    monitor_stop(watch->monitor);
    watch->past = NULL;
    watch->recorder = NULL;
    watch->earlier = NULL;
    watch->complaint = watch->why_not = NULL;
    watch->monitor = NULL;
}

int command_watch_on(uv_loop_t *loop, const struct invocation *invocation)
{
    char *error = NULL;
    struct watch watch = {
        .events = event_log_new(), .invocation = invocation, .settings = invocation->settings};
    struct settings *own = NULL; /* those of a reload */
    int status = watch_show(&watch, loop, &error);
    while (status == MAIN_LOOP_RELOAD) {
        watch_end(&watch);
        transport_forget(NULL); /* certificates, keys and tickets are read again, too */
        settings_free(own);
        watch.settings = own = watch.next;
        watch.next = NULL;
        if (!watch.directory) { /* the recording has these events */
            event_log_free(watch.events);
            watch.events = event_log_new();
        }
        uv_update_time(loop);
        watch.known_ms = uv_now(loop) + KNOWN_AGAIN_MS;
        status = watch_show(&watch, loop, &error);
    }
    watch_end(&watch);
    mutes_forget();
    tell_release(&watch.tells);
    private_directory_remove(watch.directory);
    event_log_free(watch.events);
    settings_free(own);
    complain_problem(error);
    return status;
}
