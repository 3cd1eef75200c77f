/*
 * export.c - metrics for Prometheus: served until it is ended, or printed once.
 */
#include <stdlib.h>
#include <unistd.h>

#include "probe/history/preload.h"
#include "probe/election/summary.h"
#include "probe/metrics/exporter.h"
#include "probe/monitor.h"
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"
#include "tui/commands/snapshot_exit.h"
#include "tui/commands/first_snapshot.h"
#include "tui/commands/service.h"

#define LISTEN_USUALLY "127.0.0.1:9151"

void export_report_place(const struct exporter *exporter)
{
    command_output_message(STDOUT_FILENO, "metrics on http://%s/metrics\n", exporter_address(exporter));
    if (exporter_is_open(exporter))
        complain("anyone who can reach %s can read the metrics, including the names of hosts and elections",
                 exporter_address(exporter));
}

static int export_print(struct exporter *exporter, struct monitor *monitor,
                        const struct invocation *invocation)
{
    struct buffer out = {0};
    const struct model *model = monitor_model(monitor);
    int status = summary_result(model) == SUMMARY_TAKEN ? EXIT_DONE : EXIT_NO_SNAPSHOT;
    if (monitor_cut(monitor))
        status = snapshot_exit_unsearched(model, invocation->options);
    else if (status == EXIT_NO_SNAPSHOT)
        snapshot_exit_complain(model, invocation->options->wait_ms);
    else
        first_snapshot_complain(monitor, invocation->settings);
    exporter_write(exporter, false, &out);
    return command_output_buffer(&out, status);
}

struct exporting {
    uv_loop_t *loop;
    bool once;
    struct monitor *monitor;
    struct preload *earlier;
    struct first_snapshot *snapshot; /* its complaints; NULL with --once */
    struct exporter *exporter;
};

static bool export_begin(void *context, const struct settings *settings, char **error)
{
    struct exporting *e = context;
    *error = NULL;
    e->monitor = monitor_start(e->loop, settings, error);
    if (!e->monitor)
        return false;
    e->earlier = preload_begin(e->loop, e->monitor, &settings->history);
    if (e->exporter)
        exporter_follow(e->exporter, e->monitor);
    if (!e->once)
        e->snapshot = first_snapshot_begin(e->loop, e->monitor, settings);
    return true;
}

static void export_end(void *context)
{
    struct exporting *e = context;
    first_snapshot_end(e->snapshot);
    if (e->exporter)
        exporter_follow(e->exporter, NULL);
    preload_end(e->earlier);
    monitor_stop(e->monitor);
    e->snapshot = NULL;
    e->earlier = NULL;
    e->monitor = NULL;
}

static int export_once(struct exporting *e, const struct invocation *invocation,
                       const struct shutdown *ending)
{
    monitor_ask(e->monitor);
    monitor_one_poll(e->monitor, true);
    while (!ending->signal && !ending->passed[0] && !monitor_complete(e->monitor))
        uv_run(e->loop, UV_RUN_ONCE);
    return ending->signal ? 128 + ending->signal : export_print(e->exporter, e->monitor, invocation);
}

int command_export_on(uv_loop_t *loop, const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    const char *address = options->once ? NULL : options->listen ? options->listen : LISTEN_USUALLY;
    struct exporting exporting = {.loop = loop, .once = options->once};
    struct service service = {.begin = export_begin, .end = export_end, .context = &exporting};
    struct shutdown ending;
    char *error = NULL;
    int status = EXIT_USAGE;
    bool caught = shutdown_begin(&ending, loop, options->once ? options->wait_ms : 0, 0);
    if (caught && export_begin(&exporting, invocation->settings, &error))
        exporting.exporter =
            exporter_start(loop, exporting.monitor, address, (size_t)options->series, NULL, NULL, &error);
    if (exporting.exporter && !options->once)
        export_report_place(exporting.exporter);
    if (!exporting.exporter)
        complain("%s", error ? error : "cannot export metrics");
    else if (options->once)
        status = export_once(&exporting, invocation, &ending);
    else if (service_run(&service, loop, invocation, &ending))
        status = 128 + ending.signal;
    export_end(&exporting);
    exporter_stop(exporting.exporter);
    shutdown_finish(&ending, loop);
    settings_free(service.own);
    free(error);
    return status;
}
