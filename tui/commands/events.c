/*
 * events.c - what happens, a line an event, as text or as JSON Lines.
 *
 * An event's line is written in the same turn of the loop in which the event was found out. A reader that
 * is too slow is never waited for: see tui/print/output.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "probe/history/earlier.h"
#include "probe/clock.h"
#include "probe/monitor.h"
#include "probe/sink/json_event.h"
#include "tui/commands/command.h"
#include "tui/commands/ending.h"
#include "tui/commands/say.h"
#include "tui/commands/verdict.h"
#include "tui/print/event_line.h"
#include "tui/print/output.h"

/* How long the last lines may take to be read, at the end. */
#define FLUSH_MS 1000

struct stream {
    const struct options *options;
    struct output *output;
    struct buffer line;
    struct paper paper; /* writes into line */
    bool several;       /* clusters: each line names its own */
    const struct model *model;
    size_t elections; /* that the column of names was made for ... */
    int where_width;  /* ... and its width */
    long written;
    bool over; /* as many as were asked for, or nobody reads */
    int error; /* the output's; 0: it is well */
};

static void on_output_ended(void *context, int error)
{
    struct stream *stream = context;
    stream->over = true;
    stream->error = error;
}

/* As wide as the longest name, so that lines stand below each other. */
static int where_width(struct stream *stream)
{
    size_t elections = 0;
    for (size_t i = 0; stream->model && i < stream->model->cluster_count; i++)
        elections += stream->model->clusters[i].election_count;
    if (!stream->model || (elections == stream->elections && stream->where_width > 0))
        return stream->where_width;
    int width = event_line_where(stream->model, stream->paper.row->ascii);
    stream->elections = elections;
    stream->where_width = width > stream->where_width ? width : stream->where_width; /* never back again */
    return stream->where_width;
}

static void on_output_dropped(void *context, struct buffer *line, uint64_t count)
{
    struct stream *stream = context;
    if (stream->options->json) {
        json_event_write_dropped(line, clock_now(), count);
        return;
    }
    stream->paper.out = line;
    event_line_print_dropped(&stream->paper, clock_now(), count, where_width(stream));
    stream->paper.out = &stream->line;
}

static void on_event(void *context, const struct event *event)
{
    struct stream *stream = context;
    if (stream->over)
        return;
    buffer_clear(&stream->line);
    if (stream->options->json)
        json_event_write(&stream->line, event);
    else
        event_line_print(&stream->paper, event, stream->several, where_width(stream));
    if (buffer_failed(&stream->line)) {
        on_output_ended(stream, ENOMEM);
        return;
    }
    output_line(stream->output, stream->line.bytes, stream->line.length);
    stream->written++;
    if (stream->options->count > 0 && stream->written >= stream->options->count)
        stream->over = true;
}

static bool stream_begin(struct stream *stream, uv_loop_t *loop, const struct invocation *invocation)
{
    static const struct output_listener listener = {.ended = on_output_ended, .dropped = on_output_dropped};
    struct print_style how = print_style_choose(invocation->options, invocation->settings, STDOUT_FILENO);
    *stream =
        (struct stream){.options = invocation->options, .several = invocation->settings->cluster_count > 1};
    if (!paper_begin(&stream->paper, &stream->line, &how))
        return false;
    stream->output = output_open(loop, STDOUT_FILENO, &listener, stream);
    return stream->output != NULL;
}

static void stream_end(struct stream *stream)
{
    paper_end(&stream->paper);
    output_close(stream->output);
    buffer_free(&stream->line);
}

/* Until a signal, --for, --count, a reader that has gone, or a first look that cannot be had. */
static int follow(uv_loop_t *loop, struct stream *stream, struct ending *ending, const struct model *model)
{
    const bool *waited = &ending->passed[0], *lasted = &ending->passed[1];
    bool judged = false;
    while (!ending->signal && !stream->over && !*lasted && !judged) {
        uv_run(loop, UV_RUN_ONCE);
        judged = *waited && verdict_status(model, false) == EXIT_NO_LOOK;
        if (*waited && !judged)
            ending->passed[0] = false; /* it was reached once: from now on it may come and go */
    }
    output_flush(stream->output, FLUSH_MS);
    if (ending->signal)
        return 128 + ending->signal;
    if (stream->over)
        return say_ended(stream->error, EXIT_DONE);
    int status = verdict_status(model, false);
    if (status == EXIT_NO_LOOK)
        verdict_complain(model, *lasted ? stream->options->for_ms : stream->options->wait_ms);
    return status;
}

int command_events_on(uv_loop_t *loop, const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    char *error = NULL;
    struct ending ending;
    struct stream stream = {0};
    struct monitor *monitor = NULL;
    int status = EXIT_USAGE;
    bool ready = ending_begin(&ending, loop, options->wait_ms, options->for_ms);
    ready = stream_begin(&stream, loop, invocation) && ready;
    if (ready)
        monitor = monitor_start(loop, invocation->settings, &error);
    struct earlier *earlier = monitor ? earlier_begin(loop, monitor, &invocation->settings->history) : NULL;
    earlier_follow(earlier);
    stream.model = monitor ? monitor_model(monitor) : NULL;
    if (monitor && monitor_subscribe(monitor, on_event, &stream))
        status = follow(loop, &stream, &ending, monitor_model(monitor));
    else
        complain("%s", error ? error : "out of memory; nothing can be followed");
    earlier_end(earlier);
    monitor_stop(monitor);
    stream_end(&stream);
    ending_finish(&ending, loop);
    free(error);
    return status;
}

int command_events(const struct invocation *invocation)
{
    return loop_run(command_events_on, invocation);
}
