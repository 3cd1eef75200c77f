/*
 * events.c - prints events, one a line, as text or as JSON Lines.
 *
 * An event's line is written in the same turn of the loop in which the event was found out. A reader that
 * is too slow is never waited for: see tui/output/output.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "probe/clock.h"
#include "probe/history/preload.h"
#include "probe/json/json_event.h"
#include "probe/monitor.h"
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"
#include "tui/commands/snapshot_exit.h"
#include "tui/commands/first_snapshot.h"
#include "tui/commands/shutdown.h"
#include "tui/output/line_printer.h"
#include "tui/output/output.h"
#include "tui/words/election_filter.h"

/* How long the last lines may take to be read, at the end. */
#define FLUSH_MS 1000

struct event_stream {
    const struct options *options;
    struct output *output;
    struct buffer line;
    struct printer printer; /* writes into line */
    bool several;           /* clusters: each line names its own */
    const struct model *model;
    long written;
};

/* As many as requested, or the reader has gone. */
static bool stream_is_over(const struct event_stream *stream)
{
    return output_error(stream->output) ||
           (stream->options->count > 0 && stream->written >= stream->options->count);
}

static void on_output_dropped(void *context, struct buffer *line, uint64_t count)
{
    struct event_stream *stream = context;
    if (stream->options->json) {
        json_event_write_dropped(line, clock_now(), count);
        return;
    }
    stream->printer.out = line;
    event_line_print_dropped(&stream->printer, clock_now(), count);
    stream->printer.out = &stream->line;
}

static void events_on_event(void *context, const struct event *event)
{
    struct event_stream *stream = context;
    const char *filter = stream->options->filter;
    if (stream_is_over(stream))
        return;
    if (filter && event->election && !election_filter_match(filter, event->election, event->at))
        return;
    if (filter && event->cluster && !election_filter_match_cluster(filter, event->cluster))
        return;
    buffer_clear(&stream->line);
    if (stream->options->json)
        json_event_write(&stream->line, event);
    else {
        event_line_fit(&stream->printer, stream->model);
        event_line_print(&stream->printer, event, stream->several);
    }
    output_line(stream->output, stream->line.bytes, stream->line.length);
    stream->written++;
}

static void stream_begin(struct event_stream *stream, uv_loop_t *loop, const struct invocation *invocation)
{
    struct print_style how = print_style_choose(invocation->options, invocation->settings, STDOUT_FILENO);
    *stream = (struct event_stream){.options = invocation->options,
                                    .several = invocation->settings->cluster_count > 1};
    printer_begin(&stream->printer, &stream->line, &how);
    stream->output = output_open(loop, STDOUT_FILENO, on_output_dropped, stream);
}

static void stream_end(struct event_stream *stream)
{
    printer_end(&stream->printer);
    output_close(stream->output);
    buffer_free(&stream->line);
}

/* Until a signal, --for, --count, a reader that has gone, or a first snapshot that cannot be had. */
static int follow(uv_loop_t *loop, struct event_stream *stream, struct shutdown *ending,
                  const struct model *model)
{
    const bool *waited = &ending->passed[0], *lasted = &ending->passed[1];
    bool judged = false;
    while (!ending->signal && !stream_is_over(stream) && !*lasted && !judged) {
        uv_run(loop, UV_RUN_ONCE);
        judged = *waited && snapshot_exit_status(model, false) == EXIT_NO_SNAPSHOT;
        if (*waited && !judged)
            ending->passed[0] = false; /* it was reached once: from now on it may come and go */
    }
    output_flush(stream->output, FLUSH_MS);
    if (ending->signal)
        return 128 + ending->signal;
    if (stream_is_over(stream))
        return command_output_ended(output_error(stream->output), EXIT_DONE);
    int status = snapshot_exit_status(model, false);
    if (status == EXIT_NO_SNAPSHOT)
        snapshot_exit_complain(model, *lasted ? stream->options->for_ms : stream->options->wait_ms);
    return status;
}

int command_events_on(uv_loop_t *loop, const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    char *error = NULL;
    struct shutdown ending;
    struct event_stream stream = {0};
    struct monitor *monitor = NULL;
    int status = EXIT_USAGE;
    bool ready = shutdown_begin(&ending, loop, options->wait_ms, options->for_ms);
    stream_begin(&stream, loop, invocation);
    if (ready)
        monitor = monitor_start(loop, invocation->settings, &error);
    struct preload *earlier = monitor ? preload_begin(loop, monitor, &invocation->settings->history) : NULL;
    preload_follow(earlier);
    stream.model = monitor ? monitor_model(monitor) : NULL;
    if (monitor) {
        monitor_subscribe(monitor, events_on_event, &stream);
        struct first_snapshot *snapshot = first_snapshot_begin(loop, monitor, invocation->settings);
        status = follow(loop, &stream, &ending, monitor_model(monitor));
        first_snapshot_end(snapshot);
    } else {
        complain("%s", error ? error : "cannot follow events; raise the limit of open files (ulimit -n)");
    }
    preload_end(earlier);
    monitor_stop(monitor);
    stream_end(&stream);
    shutdown_finish(&ending, loop);
    free(error);
    return status;
}
