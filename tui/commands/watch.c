/*
 * watch.c - the dashboard on live clusters.
 */
#include <stdlib.h>

#include "probe/monitor.h"
#include "tui/commands/command.h"
#include "tui/commands/ending.h"
#include "tui/event_log.h"
#include "tui/show.h"

static bool looked(void *monitor)
{
    return monitor_looked(monitor);
}

static void clear(void *monitor, const char *cluster, const char *election, const char *candidate)
{
    monitor_clear(monitor, cluster, election, candidate);
}

int command_watch_on(uv_loop_t *loop, const struct invocation *invocation)
{
    char *error = NULL;
    int status = EXIT_USAGE;
    struct event_log *events = event_log_new();
    struct monitor *monitor = events ? monitor_start(loop, invocation->settings, &error) : NULL;
    if (monitor && monitor_subscribe(monitor, event_log_add, events)) {
        struct show show = {
            .loop = loop,
            .settings = invocation->settings,
            .color = invocation->options->color,
            .model = monitor_model(monitor),
            .events = events,
            .looked = looked,
            .clear = clear,
            .context = monitor,
        };
        status = show_run(&show, &error);
    } else if (!error) {
        complain("out of memory; nothing can be watched");
    }
    monitor_stop(monitor);
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
