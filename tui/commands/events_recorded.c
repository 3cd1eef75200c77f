/*
 * events_recorded.c - prints the events in a part of a recording or a case, one a line, in place of a cluster.
 *
 * A case is folded here, event by event as live: a recording made from it would name an election's kind and
 * recipe as they were known at its end. --against compares the events of a case by today's rules with those of
 * a recording.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/memory.h"
#include "probe/case/case_file.h"
#include "probe/json/json_event.h"
#include "tui/commands/case.h"
#include "tui/commands/command_output.h"
#include "tui/commands/command_recording.h"
#include "tui/output/line_printer.h"
#include "tui/output/output.h"
#include "tui/words/election_filter.h"

/* So much is gathered before it is written. */
#define PIECE_BYTES (64 * 1024)

/* Compared by its object, without the times since which findings are known. */
struct told_line {
    int64_t at_us;
    char *object, *text;
};

struct told {
    struct told_line *lines;
    size_t count, room;
};

struct reporting {
    const struct options *options;
    struct buffer out;
    struct printer printer;
    bool several;
    long reported;
    struct told *told; /* the lines are kept there; NULL: they are written */
    int error;         /* of the output; 0: it is well */
};

static char *told_take(struct buffer *line)
{
    char *text = xstrndup(line->bytes, line->length);
    buffer_clear(line);
    return text;
}

/* Since when a finding is known begins anew with the first observation of a part. */
static char *told_object(struct reporting *reporting, const struct event *event)
{
    static const char since[] = "\"since\":\"";
    json_event_write(&reporting->out, event);
    char *object = told_take(&reporting->out), *at = strstr(object, since);
    for (at = at ? at + sizeof since - 1 : object + strlen(object); *at && *at != '"'; at++)
        *at = '-';
    return object;
}

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
    struct told *told = reporting->told;
    char *object = told ? told_object(reporting, event) : NULL;
    if (reporting->options->json)
        json_event_write(&reporting->out, event);
    else
        event_line_print(&reporting->printer, event, reporting->several);
    reporting->reported++;
    if (told) {
        room_for_one(&told->lines, told->count, &told->room, sizeof *told->lines);
        told->lines[told->count++] =
            (struct told_line){event->at.wall_us, object, told_take(&reporting->out)};
        return true;
    }
    if (reporting->out.length >= PIECE_BYTES && !flush(reporting))
        return false;
    return reporting->options->count == 0 || reporting->reported < reporting->options->count;
}

/* ---- of a case ---- */

struct case_events {
    struct reporting reporting;
    const struct model *model;
    int64_t from_us, to_us;
    bool over, state; /* state: the observation repeats a fact from before the run */
};

static bool passes_filter(const char *filter, const struct event *event)
{
    return !filter || (event->election ? election_filter_match(filter, event->election, event->at)
                                       : election_filter_match_cluster(filter, event->cluster));
}

static void case_events_on_event(void *context, const struct event *event)
{
    struct case_events *events = context;
    struct reporting *reporting = &events->reporting;
    if (events->over || (events->state && reporting->told) || event->at.wall_us < events->from_us ||
        event->at.wall_us > events->to_us || !passes_filter(reporting->options->filter, event))
        return;
    if (!reporting->told)
        event_line_fit(&reporting->printer, events->model);
    events->over = !events_recorded_on_event(reporting, event);
}

/* NULL: a recipe is bad, which has been printed. */
static struct model *case_events_run(struct case_events *events, const struct case_reader *reader)
{
    char *error;
    struct model *model = case_model(reader, &error);
    if (!model) {
        complain_problem(error);
        return NULL;
    }
    model->on_event = case_events_on_event;
    model->context = events;
    events->model = model;
    events->reporting.printer.where_elections = 0;
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
            events->state = case_is_state(reader);
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
    struct case_reader *reader = command_case_open(options, options->replay, &begin_us, &end_us);
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

/* ---- of a case, against a recording ---- */

static int told_compare(const void *a, const void *b)
{
    const struct told_line *one = a, *other = b;
    if (one->at_us != other->at_us)
        return one->at_us < other->at_us ? -1 : 1;
    return strcmp(one->object, other->object);
}

static void told_sort(struct told *told)
{
    if (told->count)
        qsort(told->lines, told->count, sizeof *told->lines, told_compare);
}

static void told_free(struct told *told)
{
    for (size_t i = 0; i < told->count; i++) {
        free(told->lines[i].object);
        free(told->lines[i].text);
    }
    free(told->lines);
}

/* Of JSON its object begins with the sign. */
static void told_put(struct buffer *out, bool json, char sign, const char *text)
{
    if (json)
        buffer_printf(out, "{\"only\":\"%s\",%s", sign == '+' ? "now" : "then", text + 1);
    else
        buffer_printf(out, "%c %s", sign, text);
}

/* What only one of them has, in the order of time. */
static void told_differ(struct told *then, struct told *now, bool json, struct buffer *out)
{
    size_t i = 0, k = 0;
    told_sort(then);
    told_sort(now);
    while (i < then->count || k < now->count) {
        int order = i == then->count  ? 1
                    : k == now->count ? -1
                                      : told_compare(&then->lines[i], &now->lines[k]);
        if (order != 0)
            told_put(out, json, order < 0 ? '-' : '+', order < 0 ? then->lines[i].text : now->lines[k].text);
        i += order <= 0;
        k += order >= 0;
    }
}

/* The time of the first new observation. */
static void against_begin(struct case_reader *reader, int64_t *from_us)
{
    struct observation o;
    enum case_next next;
    while ((next = case_next(reader, &o)) == CASE_RUN || (next == CASE_OBSERVATION && case_is_state(reader)))
        ;
    if (next == CASE_OBSERVATION && o.at.wall_us > *from_us)
        *from_us = o.at.wall_us;
    case_rewind(reader);
}

/* False: they have no time in common, or a message has been printed about another problem. */
static bool against_choose(const struct options *options, struct history *history, int64_t then[2],
                           struct case_events *events)
{
    int64_t begin_us = then[0] > events->from_us ? then[0] : events->from_us;
    int64_t end_us = then[1] < events->to_us ? then[1] : events->to_us;
    char *error = NULL;
    struct reporting *reporting = &events->reporting;
    if (begin_us > end_us) {
        complain("%s and %s have no time in common", options->replay, options->against);
        return false;
    }
    if (!command_recording_moment("from", options->from, begin_us, end_us, begin_us, &events->from_us) ||
        !command_recording_moment("to", options->to, begin_us, end_us, end_us, &events->to_us))
        return false;
    const struct model *model = history_at(history, events->to_us, &error);
    reporting->several = model && model->cluster_count > 1;
    if (model)
        event_line_fit(&reporting->printer, model);
    free(error);
    return true;
}

static int command_events_against(const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    struct told told_then = {0}, told_now = {0};
    struct case_events events = {.reporting = {.options = options, .told = &told_then}};
    struct print_style how = print_style_choose(options, invocation->settings, STDOUT_FILENO);
    struct reporting *reporting = &events.reporting;
    int64_t then[2];
    char *error = NULL;
    int status = EXIT_USAGE;
    struct case_reader *reader = command_case_open(options, options->replay, &events.from_us, &events.to_us);
    struct history *history = reader ? command_recording_open(options->against, &then[0], &then[1]) : NULL;
    if (history)
        against_begin(reader, &events.from_us);
    printer_begin(&reporting->printer, &reporting->out, &how);
    bool fine = history && against_choose(options, history, then, &events) &&
                history_events(history, NULL, events.from_us, events.to_us + 1, events_recorded_on_event,
                               reporting, &error);
    reporting->told = &told_now;
    if (fine && case_events_fold(&events, reader)) {
        told_differ(&told_then, &told_now, options->json, &reporting->out);
        status = reporting->out.length ? EXIT_FOUND : EXIT_DONE;
        status = command_output_ended(flush(reporting) ? 0 : reporting->error, status);
    }
    complain_problem(error);
    printer_end(&reporting->printer);
    buffer_free(&reporting->out);
    told_free(&told_then);
    told_free(&told_now);
    history_close(history);
    case_close(reader);
    return status;
}

/* ---- of a recording ---- */

int command_events_recorded(const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    bool of_case = options->replay_count > 1 || case_is(options->replay);
    if (options->filter && (options->against || !of_case)) {
        complain("--filter chooses elections live or in a case; of a recording, name their paths instead");
        return EXIT_USAGE;
    }
    if (options->against)
        return command_events_against(invocation);
    if (of_case)
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
        printer_begin(&reporting.printer, &reporting.out, &how);
        if (model)
            event_line_fit(&reporting.printer, model);
        if (from_us > to_us)
            complain(
                "--from is not before --to; times such as 14:03 or -10m count from the end of the recording");
        else if (history_events(history, NULL, from_us, to_us + 1, events_recorded_on_event, &reporting,
                                &error))
            status = command_output_ended(flush(&reporting) ? 0 : reporting.error, EXIT_DONE);
        printer_end(&reporting.printer);
    }
    history_close(history);
    buffer_free(&reporting.out);
    complain_problem(error);
    return status;
}
