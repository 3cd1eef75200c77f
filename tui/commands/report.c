/*
 * report.c - reports on a part of a recording, as text, JSON, Markdown or a page.
 */
#include <stdlib.h>
#include <unistd.h>

#include "config/text.h"
#include "config/times.h"
#include "probe/clock.h"
#include "probe/history/history.h"
#include "probe/history/recording_file.h"
#include "probe/report/report.h"
#include "tui/commands/command.h"
#include "tui/commands/command_output.h"
#include "tui/output/report_document.h"

/* Of one election: the longest failover and the latest two. */
#define STORIES 3
#define WINDOW_US (INT64_C(24) * 3600 * 1000000)

static int give_up(char *error, int status)
{
    complain_problem(error);
    return status;
}

/* The requested window; false: there is none, and the reason has been printed. */
static bool report_choose_window(const struct invocation *invocation, int64_t begin_us, int64_t end_us,
                                 struct report_query *query)
{
    const struct options *options = invocation->options;
    int64_t now = clock_wall_us();
    query->to_us = end_us;
    if (options->to)
        time_parse(options->to, end_us, &query->to_us);
    /* The future is not missing. */
    if (query->to_us > end_us && query->to_us > now)
        query->to_us = now > end_us ? now : end_us;
    if (options->from)
        time_parse(options->from, end_us, &query->from_us);
    else if (invocation->source && begin_us < query->to_us)
        query->from_us = begin_us; /* the recording was made for this query */
    else
        query->from_us = query->to_us - begin_us > WINDOW_US ? query->to_us - WINDOW_US
                         : begin_us < query->to_us           ? begin_us
                                                             : query->to_us - WINDOW_US;
    if (query->from_us < query->to_us)
        return true;
    struct text window = {0};
    sentence_window(&window, query->from_us, query->to_us, SENTENCE_LOCAL, true);
    complain(
        "--from is not before --to (%s); times such as 14:03 or -10m count from the end of the recording",
        window.at ? window.at : "?");
    text_free(&window);
    return false;
}

/* Nothing to tell: why, on standard error. */
static int complain_nothing(const struct report *report, const struct options *options)
{
    struct text held = {0};
    sentence_window(&held, report->recorded_from_us, report->recorded_to_us, SENTENCE_LOCAL, true);
    if (report_is_empty(report))
        complain("nothing was recorded in that time; the recording covers %s", held.at ? held.at : "?");
    else if (options->election || options->cluster)
        complain("no election of that name was recorded in that time; electop report without --election and "
                 "--cluster shows all recorded ones");
    else
        complain("no election was recorded in that time; the recording covers %s", held.at ? held.at : "?");
    text_free(&held);
    return EXIT_NO_SNAPSHOT;
}

static int report_write_page(const struct report *report, const struct report_note *note, const char *file)
{
    struct buffer out = {0};
    report_print(&out, DOCUMENT_PAGE, report, note, NULL);
    return command_output_page(&out, file);
}

static int write_text(const struct report *report, const struct report_note *note,
                      const struct invocation *invocation)
{
    struct buffer out = {0};
    const struct options *options = invocation->options;
    if (options->json) {
        json_report_write(&out, report, note->recording);
    } else if (options->markdown) {
        report_print(&out, DOCUMENT_MARKDOWN, report, note, NULL);
    } else {
        struct print_style how = print_style_choose(options, invocation->settings, STDOUT_FILENO);
        report_print(&out, DOCUMENT_TEXT, report, note, &how);
    }
    return command_output_buffer(&out, EXIT_DONE);
}

static int report_report(const struct report *report, const char *file, const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    const struct report_note note = {.recording = invocation->source ? invocation->source : file,
                                     .made_us = clock_wall_us()};
    int status = report->election_count ? EXIT_DONE : complain_nothing(report, options);
    int written = EXIT_DONE;
    if (options->html)
        written = report_write_page(report, &note, options->html);
    if (written == EXIT_DONE && (options->json || options->markdown || !options->html))
        written = write_text(report, &note, invocation);
    return written != EXIT_DONE ? written : status;
}

int command_report(const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    char *error = NULL;
    const char *named = options->recording ? options->recording : options->replay;
    char *file = named ? text_format("%s", named)
                       : recording_file_choose(&invocation->settings->history, true, &error);
    struct history *history = file ? history_open(file, &error) : NULL;
    struct report_query query = {.cluster = options->cluster,
                                 .election = options->election,
                                 .settings = invocation->settings,
                                 .stories = options->json ? 0 : STORIES,
                                 .client_logs = {options->client_logs, options->client_log_count, true}};
    int64_t begin_us, end_us;
    int status = EXIT_USAGE;
    if (!history) {
        give_up(error, EXIT_USAGE);
    } else if (!history_bounds(history, &begin_us, &end_us, &error)) {
        status = error ? EXIT_USAGE : EXIT_NO_SNAPSHOT;
        if (error)
            give_up(error, status);
        else
            complain(invocation->source ? "%s: no transaction to report"
                                        : "%s: nothing has been recorded there yet; electop record does",
                     invocation->source ? invocation->source : file);
    } else if (report_choose_window(invocation, begin_us, end_us, &query)) {
        struct report *report = report_make(history, &query, &error);
        status = report ? report_report(report, file, invocation) : give_up(error, EXIT_USAGE);
        report_free(report);
    }
    history_close(history);
    free(file);
    return status;
}
