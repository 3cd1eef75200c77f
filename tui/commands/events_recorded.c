/*
 * events_recorded.c - prints the events in a part of a recording or a case, one a line, in place of a cluster.
 *
 * A case is folded here, event by event as live: a recording made from it would name an election's kind and
 * recipe as they were known at its end.
 */
#include <stdlib.h>
#include <unistd.h>

#include "probe/case/case_file.h"
#include "probe/json/json_event.h"
#include "tui/commands/case.h"
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

/* ---- of a case ---- */

struct case_events {
    struct reporting reporting;
    const struct model *model;
    size_t elections; /* that the column of names was made for */
    int64_t from_us, to_us;
    bool over;
};

static void case_events_on_event(void *context, const struct event *event)
{
    struct case_events *events = context;
    struct reporting *reporting = &events->reporting;
    if (events->over || event->at.wall_us < events->from_us || event->at.wall_us > events->to_us)
        return;
    size_t elections = 1;
    for (size_t i = 0; i < events->model->cluster_count; i++)
        elections += events->model->clusters[i].election_count;
    int width =
        elections == events->elections ? 0 : event_line_where(events->model, reporting->printer.row->ascii);
    events->elections = elections;
    reporting->where_width = width > reporting->where_width ? width : reporting->where_width;
    events->over = !events_recorded_on_event(reporting, event);
}

/* NULL: a recipe is bad, which has been printed. */
static struct model *case_events_run(struct case_events *events, const struct case_reader *reader)
{
    char *error;
    struct model *model = case_model(reader, &error);
    if (!model) {
        complain("%s", error);
        free(error);
        return NULL;
    }
    model->on_event = case_events_on_event;
    model->context = events;
    events->model = model;
    events->elections = 0;
    events->reporting.several |= model->cluster_count > 1;
    return model;
}

/* False: not all could be folded, which has been printed. */
static bool case_events_fold(struct case_events *events, struct case_reader *reader)
{
    struct model *model = NULL;
    struct observation o;
    enum case_next next = CASE_OBSERVATION;
    bool fine = true;
    while (fine && !events->over && (next = case_next(reader, &o)) != CASE_END) {
        if (next == CASE_OBSERVATION) {
            model_observe(model, &o);
            continue;
        }
        model_free(model);
        model = case_events_run(events, reader);
        fine = model != NULL;
    }
    model_free(model);
    return fine;
}

static int command_events_case(const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    struct case_events events = {.reporting = {.options = options}};
    struct print_style how = print_style_choose(options, invocation->settings, STDOUT_FILENO);
    int64_t begin_us, end_us;
    int status = EXIT_USAGE;
    struct case_reader *reader = command_case_open(options->replay, &begin_us, &end_us);
    printer_begin(&events.reporting.printer, &events.reporting.out, &how);
    if (reader &&
        command_recording_moment("from", options->from, begin_us, end_us, begin_us, &events.from_us) &&
        command_recording_moment("to", options->to, begin_us, end_us, end_us, &events.to_us) &&
        case_events_fold(&events, reader))
        status = command_output_ended(flush(&events.reporting) ? 0 : events.reporting.error, EXIT_DONE);
    printer_end(&events.reporting.printer);
    buffer_free(&events.reporting.out);
    case_close(reader);
    return status;
}

/* ---- of a recording ---- */

int command_events_recorded(const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    if (case_is(options->replay))
        return command_events_case(invocation);
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
