/*
 * events_recorded.c - what happened in a stretch of a recording, a line an event, in place of a cluster.
 */
#include <stdlib.h>
#include <unistd.h>

#include "probe/json/json_event.h"
#include "tui/commands/command_output.h"
#include "tui/commands/command_recording.h"
#include "tui/output/line_printer.h"
#include "tui/output/output.h"

/* So much is gathered before it is written. */
#define PIECE_BYTES (64 * 1024)

struct reporting {
    const struct options *options;
    struct buffer out;
    struct printer printer;
    bool several;
    int where_width;
    long reported;
    int error; /* of the output; 0: it is well */
};

static bool flush(struct reporting *reporting)
{
    if (reporting->out.length > 0)
        reporting->error = output_write(STDOUT_FILENO, reporting->out.bytes, reporting->out.length);
    buffer_clear(&reporting->out);
    return reporting->error == 0;
}

static bool events_recorded_on_event(void *context, const struct event *event)
{
    struct reporting *reporting = context;
    if (event->election ? !command_recording_wants(reporting->options, event->election)
                        : reporting->options->path_count > 0)
        return true;
    if (reporting->options->json)
        json_event_write(&reporting->out, event);
    else
        event_line_print(&reporting->printer, event, reporting->several, reporting->where_width);
    reporting->reported++;
    if (reporting->out.length >= PIECE_BYTES && !flush(reporting))
        return false;
    return reporting->options->count == 0 || reporting->reported < reporting->options->count;
}

int command_events_recorded(const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    struct reporting reporting = {.options = options};
    struct print_style how = print_style_choose(options, invocation->settings, STDOUT_FILENO);
    int64_t begin_us, end_us, from_us, to_us;
    char *error = NULL;
    int status = EXIT_USAGE;
    struct history *history = command_recording_open(options->replay, &begin_us, &end_us);
    if (history && command_recording_moment("from", options->from, begin_us, end_us, begin_us, &from_us) &&
        command_recording_moment("to", options->to, begin_us, end_us, end_us, &to_us)) {
        const struct model *model = history_at(history, to_us, &error);
        free(error); /* its names are for the columns only */
        error = NULL;
        reporting.several = model && model->cluster_count > 1;
        if (from_us > to_us) {
            complain(
                "--from is not before --to; times such as 14:03 or -10m count from the end of the recording");
        } else {
            printer_begin(&reporting.printer, &reporting.out, &how);
            reporting.where_width = model ? event_line_where(model, reporting.printer.row->ascii) : 20;
            if (!history_events(history, NULL, from_us, to_us + 1, events_recorded_on_event, &reporting,
                                &error))
                complain("%s", error);
            else
                status = command_output_ended(flush(&reporting) ? 0 : reporting.error, EXIT_DONE);
            printer_end(&reporting.printer);
        }
    }
    history_close(history);
    buffer_free(&reporting.out);
    free(error);
    return status;
}
