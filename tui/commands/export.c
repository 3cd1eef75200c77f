/*
 * export.c - metrics for Prometheus: served until it is ended, or printed once.
 */
#include <stdlib.h>

#include "probe/history/preload.h"
#include "probe/metrics/exporter.h"
#include "probe/monitor.h"
#include "probe/json/election_summary.h"
#include "tui/commands/command.h"
#include "tui/commands/shutdown.h"
#include "tui/commands/messages.h"
#include "tui/commands/exit_code.h"
#include "tui/commands/first_look.h"

#define LISTEN_USUALLY "127.0.0.1:9151"

void export_tell_place(const struct exporter *exporter)
{
    char line[160];
    snprintf(line, sizeof line, "metrics on http://%s/metrics\n", exporter_address(exporter));
    message_text(line);
    if (exporter_is_open(exporter))
        complain(
            "the metrics on %s can be read by anybody who reaches that address: names of hosts and elections "
            "are among them",
            exporter_address(exporter));
}

static int export_print(struct exporter *exporter, struct monitor *monitor,
                        const struct invocation *invocation)
{
    struct buffer out = {0};
    const struct model *model = monitor_model(monitor);
    int status = summary_result(model) == SUMMARY_TAKEN ? EXIT_DONE : EXIT_NO_LOOK;
    if (monitor_cut(monitor))
        status = exit_code_unsearched(model, invocation->options);
    else if (status == EXIT_NO_LOOK)
        exit_code_complain(model, invocation->options->wait_ms);
    else if (invocation->options->once)
        first_look_complain(monitor, invocation->settings);
    exporter_write(exporter, false, &out);
    return message_buffer(&out, status);
}

static int command_export_on(uv_loop_t *loop, const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    const char *address = options->once ? NULL : options->listen ? options->listen : LISTEN_USUALLY;
    struct shutdown ending;
    char *error = NULL;
    int status = EXIT_USAGE;
    bool caught = shutdown_begin(&ending, loop, options->once ? options->wait_ms : 0, 0);
    struct monitor *monitor = caught ? monitor_start(loop, invocation->settings, &error) : NULL;
    struct preload *earlier = monitor ? preload_begin(loop, monitor, &invocation->settings->history) : NULL;
    struct exporter *exporter =
        monitor ? exporter_start(loop, monitor, address, (size_t)options->series, NULL, NULL, &error) : NULL;
    struct first_look *look = NULL;
    if (exporter) {
        if (options->once) {
            monitor_ask(monitor);
            monitor_one_look(monitor);
        } else {
            export_tell_place(exporter);
            look = first_look_begin(loop, monitor, invocation->settings);
        }
        while (!ending.signal && !ending.passed[0] && !(options->once && monitor_looked(monitor)))
            uv_run(loop, UV_RUN_ONCE);
        status = ending.signal ? 128 + ending.signal : export_print(exporter, monitor, invocation);
    } else {
        complain("%s", error ? error : "out of memory; nothing can be exported");
    }
    first_look_end(look);
    exporter_stop(exporter);
    preload_end(earlier);
    monitor_stop(monitor);
    shutdown_finish(&ending, loop);
    free(error);
    return status;
}

int command_export(const struct invocation *invocation)
{
    return loop_run(command_export_on, invocation);
}
