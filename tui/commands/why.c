/*
 * why.c - the story of a failover: the events, the evidence, and the conclusions.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/times.h"
#include "probe/clock.h"
#include "tui/commands/command_output.h"
#include "tui/commands/command_recording.h"
#include "tui/output/line_printer.h"
#include "tui/output/report_document.h"
#include "tui/words/story_lines.h"

static void print_sentences(struct buffer *out, const struct sentences *s, const struct print_style *how)
{
    struct document doc = {.form = DOCUMENT_TEXT};
    report_put_story(&doc, s);
    document_print(&doc, out, how);
    document_free(&doc);
}

static int report_story(const struct story *story, const struct invocation *invocation)
{
    struct buffer out = {0};
    struct sentences sentences = story_sentences(story, false);
    if (invocation->options->json) {
        story_write(&out, story, &sentences);
    } else {
        struct print_style how = print_style_choose(invocation->options, invocation->settings, STDOUT_FILENO);
        print_sentences(&out, &sentences, &how);
    }
    sentences_free(&sentences);
    return command_output_buffer(&out, EXIT_DONE);
}

static bool choose_moment(const char *when, int64_t to_us, int64_t *at_us)
{
    *at_us = to_us;
    const char *problem = when && strcmp(when, "last") != 0 ? time_parse(when, to_us, at_us) : NULL;
    if (problem)
        complain("\"%s\" %s", when, problem);
    /* A time is written with fewer figures than it has. */
    *at_us += *at_us % 1000000 == 0 ? 999999 : 999;
    return !problem;
}

int command_why(const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    int64_t from_us, to_us;
    struct story_query query = {
        .election = options->election,
        .cluster = options->cluster,
        .client_logs = {.files = options->client_logs, .count = options->client_log_count}};
    char *error = NULL, *file = command_recording_file(invocation, options->replay);
    struct history *history = file ? command_recording_open(file, &from_us, &to_us) : NULL;
    int status = EXIT_USAGE;
    query.open_first = !options->when;
    query.now_us = options->when ? 0 : clock_now().wall_us;
    if (history && choose_moment(options->when, to_us, &query.at_us)) {
        struct story *story = story_make(history, &query, &error);
        if (story)
            status = report_story(story, invocation);
        else if (error)
            complain("%s", error);
        else {
            complain("no failover%s%s was recorded by then; electop report lists the recorded ones",
                     query.election ? " of " : "", query.election ? query.election : "");
            status = EXIT_NO_SNAPSHOT;
        }
        story_free(story);
    }
    history_close(history);
    free(error);
    free(file);
    return status;
}
