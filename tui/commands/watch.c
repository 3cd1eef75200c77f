/*
 * watch.c - the dashboard on live clusters.
 */
#include <stdlib.h>
#include <string.h>

#include "probe/history/place.h"
#include "probe/history/recorder.h"
#include "probe/monitor.h"
#include "tui/commands/command.h"
#include "tui/commands/ending.h"
#include "tui/event_log.h"
#include "tui/show.h"

struct watch {
    struct monitor *monitor;
    struct recorder *recorder; /* NULL: nothing is recorded ... */
    char *complaint;           /* ... for this reason; NULL: it has been said, or all is well */
    bool failing;              /* it could not write a second ago */
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

/* Where the configuration speaks of a history. That it cannot be is no reason not to watch. */
static void record(struct watch *watch, uv_loop_t *loop, const struct history_settings *history)
{
    if (!history->given || strcmp(history->file, "off") == 0)
        return;
    char *file = place_choose(history, false, &watch->complaint);
    if (file)
        watch->recorder = recorder_start(loop, watch->monitor, file, history->keep_ms, &watch->complaint);
    free(file);
}

int command_watch_on(uv_loop_t *loop, const struct invocation *invocation)
{
    char *error = NULL;
    int status = EXIT_USAGE;
    struct watch watch = {0};
    struct event_log *events = event_log_new();
    watch.monitor = events ? monitor_start(loop, invocation->settings, &error) : NULL;
    if (watch.monitor && monitor_subscribe(watch.monitor, event_log_add, events)) {
        struct show show = {
            .loop = loop,
            .settings = invocation->settings,
            .color = invocation->options->color,
            .model = monitor_model(watch.monitor),
            .events = events,
            .looked = looked,
            .clear = clear,
            .complaint = complaint,
            .context = &watch,
        };
        /* The demo's cluster is nobody's. */
        if (invocation->options->command == COMMAND_WATCH)
            record(&watch, loop, &invocation->settings->history);
        status = show_run(&show, &error);
    } else if (!error) {
        complain("out of memory; nothing can be watched");
    }
    char *problem;
    if (!recorder_stop(watch.recorder, &problem))
        complain("%s", problem ? problem : "not everything could be recorded");
    free(problem);
    free(watch.complaint);
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
