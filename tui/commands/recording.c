/*
 * recording.c - once and events on a recording, in place of a cluster.
 */

#include "tui/commands/recording.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/text.h"
#include "config/times.h"
#include "config/znode_path.h"
#include "probe/history/place.h"
#include "probe/sink/json_event.h"
#include "probe/sink/json_look.h"
#include "probe/sink/look.h"
#include "tui/commands/verdict.h"
#include "tui/print/event_line.h"
#include "tui/print/output.h"
#include "tui/report/look_text.h"
#include "tui/text/format.h"

/* So much is gathered before it is written. */
#define PIECE_BYTES (64 * 1024)

char *recording_file(const struct invocation *invocation, const char *named)
{
    char *error = NULL;
    char *file = named ? strdup(named) : place_choose(&invocation->settings->history, true, &error);
    if (!file)
        complain("%s", error ? error : "out of memory");
    free(error);
    return file;
}

struct history *recording_open(const char *file, int64_t *from_us, int64_t *to_us)
{
    char *error = NULL;
    struct history *history = history_open(file, &error);
    if (!history) {
        complain("%s", error ? error : "out of memory");
    } else if (!history_bounds(history, from_us, to_us, &error)) {
        if (error)
            complain("%s", error);
        else
            complain("%s: nothing has been recorded yet", file);
        history_close(history);
        history = NULL;
    }
    free(error);
    return history;
}

bool recording_moment(const char *option, const char *text, int64_t from_us, int64_t to_us,
                      int64_t otherwise_us, int64_t *at_us)
{
    char first[40], last[40];
    *at_us = otherwise_us;
    if (!text)
        return true;
    const char *problem = time_parse(text, to_us, at_us);
    if (problem) {
        complain("--%s \"%s\" %s", option, text, problem);
        return false;
    }
    /* The last moment is written with fewer figures than it has. */
    if (*at_us > to_us && *at_us - to_us < 1000)
        *at_us = to_us;
    if (*at_us < from_us && from_us - *at_us < 1000)
        *at_us = from_us;
    if (*at_us >= from_us && *at_us <= to_us)
        return true;
    complain("--%s \"%s\" lies %s the recording, which holds %s to %s", option, text,
             *at_us < from_us ? "before" : "after", format_time(from_us, first, sizeof first),
             format_time(to_us, last, sizeof last));
    return false;
}

bool recording_wants(const struct options *options, const struct election *election)
{
    for (size_t i = 0; i < options->path_count; i++)
        if (znode_pattern_match(options->paths[i], look_path(election)))
            return true;
    return options->path_count == 0;
}

bool recording_figures(void *context, const struct election *election, struct failover_figures *figures)
{
    const struct recording_kept *kept = context;
    const struct history_filter filter = {.cluster = election->cluster->name, .election = election->path};
    struct failover_stats stats;
    char *error = NULL;
    bool known = history_statistics(kept->history, &filter, kept->at_us - JSON_LOOK_WINDOW_MS * 1000,
                                    kept->at_us + 1, &stats, &error);
    free(error);
    if (known)
        *figures = stats.all;
    return known;
}

/* A look. */

/* The same model with only the elections that are asked for: all else is the recording's. */
struct picked {
    struct model model;
    struct election **elections; /* of all clusters, one after the other */
};

static bool pick(struct picked *picked, const struct model *model, const struct options *options)
{
    size_t count = 0, used = 0;
    for (size_t i = 0; i < model->cluster_count; i++)
        count += model->clusters[i].election_count;
    picked->model = *model;
    picked->model.clusters = calloc(model->cluster_count + 1, sizeof *picked->model.clusters);
    picked->elections = calloc(count + 1, sizeof(struct election *));
    if (!picked->model.clusters || !picked->elections)
        return false;
    for (size_t i = 0; i < model->cluster_count; i++) {
        struct cluster *cluster = &picked->model.clusters[i];
        *cluster = model->clusters[i];
        cluster->elections = picked->elections + used;
        cluster->election_count = 0;
        for (size_t j = 0; j < model->clusters[i].election_count; j++)
            if (recording_wants(options, model->clusters[i].elections[j]))
                cluster->elections[cluster->election_count++] = model->clusters[i].elections[j];
        used += cluster->election_count;
    }
    return true;
}

/* A path of which nothing was recorded is no election that is well. */
static bool complain_unrecorded(const struct model *model, const struct options *options)
{
    bool missing = false;
    for (size_t i = 0; i < options->path_count; i++) {
        bool found = false;
        for (size_t j = 0; j < model->cluster_count; j++)
            for (size_t k = 0; k < model->clusters[j].election_count && !found; k++)
                found = znode_pattern_match(options->paths[i], look_path(model->clusters[j].elections[k]));
        if (!found)
            complain("%s was not being watched at that moment", options->paths[i]);
        missing |= !found;
    }
    return missing;
}

static int print_look(struct history *history, const struct model *model, struct moment at,
                      const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    struct picked picked = {0};
    struct buffer out = {0};
    int status = EXIT_USAGE;
    bool printed = pick(&picked, model, options);
    if (printed) {
        status = verdict_status(&picked.model, options->strict);
        if (complain_unrecorded(&picked.model, options))
            status = EXIT_NO_LOOK;
        struct print_style how = print_style_choose(options, invocation->settings, STDOUT_FILENO);
        if (options->json)
            json_look_write_kept(&out, &picked.model, at, recording_figures,
                                 &(struct recording_kept){history, at.wall_us});
        else
            printed = look_text_print(&out, &picked.model, at, &how);
        printed = printed && !buffer_failed(&out);
    }
    free(picked.model.clusters);
    free(picked.elections);
    if (!printed)
        complain("out of memory; nothing can be shown");
    int error = printed ? output_write(STDOUT_FILENO, out.bytes, out.length) : 0;
    buffer_free(&out);
    if (error)
        return output_is_gone(error) ? EXIT_DONE : output_refused(error);
    return status;
}

int command_once_recorded(const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    int64_t from_us, to_us, at_us;
    char *error = NULL;
    int status = EXIT_USAGE;
    struct history *history = recording_open(options->replay, &from_us, &to_us);
    if (history && recording_moment("at", options->at, from_us, to_us, to_us, &at_us)) {
        const struct model *model = history_at(history, at_us, &error);
        if (model) {
            struct moment at = {.mono_us = model->now.mono_us + (at_us - model->now.wall_us),
                                .wall_us = at_us};
            status = print_look(history, model, at, invocation);
        } else {
            complain("%s", error ? error : "out of memory");
        }
    }
    history_close(history);
    free(error);
    return status;
}

/* Events. */

struct telling {
    const struct options *options;
    struct buffer out;
    struct paper paper;
    bool several;
    int where_width;
    long told;
    int error; /* of the output; 0: it is well */
};

static bool flush(struct telling *telling)
{
    if (telling->out.length > 0)
        telling->error = output_write(STDOUT_FILENO, telling->out.bytes, telling->out.length);
    buffer_clear(&telling->out);
    return telling->error == 0;
}

static bool on_event(void *context, const struct event *event)
{
    struct telling *telling = context;
    if (event->election ? !recording_wants(telling->options, event->election)
                        : telling->options->path_count > 0)
        return true;
    if (telling->options->json)
        json_event_write(&telling->out, event);
    else
        event_line_print(&telling->paper, event, telling->several, telling->where_width);
    telling->told++;
    if (buffer_failed(&telling->out) || (telling->out.length >= PIECE_BYTES && !flush(telling)))
        return false;
    return telling->options->count == 0 || telling->told < telling->options->count;
}

int command_events_recorded(const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    struct telling telling = {.options = options};
    struct print_style how = print_style_choose(options, invocation->settings, STDOUT_FILENO);
    int64_t begin_us, end_us, from_us, to_us;
    char *error = NULL;
    int status = EXIT_USAGE;
    struct history *history = recording_open(options->replay, &begin_us, &end_us);
    if (history && recording_moment("from", options->from, begin_us, end_us, begin_us, &from_us) &&
        recording_moment("to", options->to, begin_us, end_us, end_us, &to_us)) {
        const struct model *model = history_at(history, to_us, &error);
        free(error); /* its names are for the columns only */
        error = NULL;
        telling.several = model && model->cluster_count > 1;
        if (from_us > to_us) {
            complain(
                "--from is not before --to; times as 14:03 or -10m are seen from the end of the recording");
        } else if (!paper_begin(&telling.paper, &telling.out, &how)) {
            complain("out of memory");
        } else {
            telling.where_width = model ? event_line_where(model, telling.paper.row->ascii) : 20;
            if (!history_events(history, NULL, from_us, to_us + 1, on_event, &telling, &error))
                complain("%s", error ? error : "out of memory");
            else if (buffer_failed(&telling.out))
                complain("out of memory");
            else if (flush(&telling) || output_is_gone(telling.error))
                status = EXIT_DONE;
            else
                status = output_refused(telling.error);
        }
        paper_end(&telling.paper);
    }
    history_close(history);
    buffer_free(&telling.out);
    free(error);
    return status;
}
