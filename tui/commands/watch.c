/*
 * watch.c - the dashboard on live clusters.
 */
#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "probe/history/earlier.h"
#include "probe/history/place.h"
#include "probe/history/recorder.h"
#include "probe/monitor.h"
#include "tui/commands/command.h"
#include "tui/commands/ending.h"
#include "tui/commands/private_place.h"
#include "tui/commands/say.h"
#include "tui/event_log.h"
#include "tui/inject/bench.h"
#include "tui/show.h"

/* What is recorded for one run alone is no archive. */
#define PRIVATE_KEEP_MS (INT64_C(24) * 3600 * 1000)

struct watch {
    struct monitor *monitor;
    struct earlier *earlier;   /* what the history holds of before; or NULL */
    struct recorder *recorder; /* NULL: nothing is recorded ... */
    char *complaint;           /* ... for this reason; NULL: it has been said, or all is well */
    bool failing;              /* it could not write a second ago */
    struct past *past;         /* what one can go back to; NULL: nothing ... */
    char *why_not;             /* ... for this reason; or NULL */
    char *directory;           /* of a recording for this run alone; or NULL */
};

static bool looked(void *context)
{
    struct watch *watch = context;
    return monitor_looked(watch->monitor);
}

static void clear(void *context, const char *cluster, const char *election, const char *candidate)
{
    struct watch *watch = context;
    monitor_clear(watch->monitor, cluster, election, candidate);
}

/* Once for each thing that goes wrong: what is on the screen matters more. */
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
    return NULL;
}

/*
 * Into the configured history, which stays; where somebody else records there already, that is what one goes
 * back in. That it cannot be is no reason not to watch.
 */
static void record(struct watch *watch, uv_loop_t *loop, const struct history_settings *history,
                   struct event_log *events)
{
    char *file = place_choose(history, false, &watch->complaint);
    if (!file)
        return;
    watch->past = past_new(file);
    watch->earlier = earlier_begin(loop, watch->monitor, history);
    if (watch->earlier && watch->past)
        past_tell(watch->past, events);
    watch->recorder = recorder_start(loop, watch->monitor, file, history->keep_ms, &watch->complaint);
    if (!watch->recorder)
        earlier_follow(watch->earlier);
    free(file);
}

/* Nobody asked for a history: one for this run alone, so that time can be moved in. */
static void record_privately(struct watch *watch, uv_loop_t *loop)
{
    watch->directory = private_place_make(&watch->why_not);
    char *file = watch->directory ? text_format("%s/history.db", watch->directory) : NULL;
    if (!file)
        return;
    watch->recorder = recorder_start(loop, watch->monitor, file, PRIVATE_KEEP_MS, &watch->why_not);
    if (watch->recorder)
        watch->past = past_new(file);
    free(file);
}

static void begin_recording(struct watch *watch, uv_loop_t *loop, const struct invocation *invocation,
                            struct event_log *events)
{
    const struct history_settings *history = &invocation->settings->history;
    /* The demo's cluster is nobody's. */
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
    struct watch watch = {0};
    struct event_log *events = event_log_new();
    watch.monitor = events ? monitor_start(loop, invocation->settings, &error) : NULL;
    if (watch.monitor && monitor_subscribe(watch.monitor, event_log_add, events)) {
        begin_recording(&watch, loop, invocation, events);
        struct bench *bench =
            bench_new(loop, invocation->settings, invocation->options->command != COMMAND_WATCH);
        struct show show = {
            .loop = loop,
            .settings = invocation->settings,
            .color = invocation->options->color,
            .model = monitor_model(watch.monitor),
            .events = events,
            .past = watch.past,
            .why_not = watch.why_not,
            .looked = looked,
            .clear = clear,
            .complaint = complaint,
            .workbench = bench ? bench_workbench(bench) : NULL,
            .context = &watch,
        };
        status = show_run(&show, &error);
        bench_free(bench);
    } else if (!error) {
        complain("out of memory; nothing can be watched");
    }
    char *problem;
    past_free(watch.past);
    if (!recorder_stop(watch.recorder, &problem) && !watch.directory)
        complain("%s", problem ? problem : "not everything could be recorded");
    free(problem);
    earlier_end(watch.earlier);
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
