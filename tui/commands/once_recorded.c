/*
 * once_recorded.c - one look at a moment of a recording, in place of a cluster.
 */
#include <stdlib.h>
#include <unistd.h>

#include "config/znode_path.h"
#include "probe/json/json_snapshot.h"
#include "probe/json/election_summary.h"
#include "tui/commands/recording.h"
#include "tui/commands/messages.h"
#include "tui/commands/exit_code.h"
#include "tui/output/snapshot_text.h"

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
                found = znode_pattern_match(options->paths[i], summary_path(model->clusters[j].elections[k]));
        if (!found)
            complain("%s was not being watched at that moment", options->paths[i]);
        missing |= !found;
    }
    return missing;
}

static int once_recorded_print_look(struct history *history, const struct model *model, struct moment at,
                                    const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    struct picked picked = {0};
    struct buffer out = {0};
    int status = EXIT_USAGE;
    bool printed = pick(&picked, model, options);
    if (printed) {
        status = exit_code_status(&picked.model, options->strict);
        if (complain_unrecorded(&picked.model, options))
            status = EXIT_NO_LOOK;
        struct print_style how = print_style_choose(options, invocation->settings, STDOUT_FILENO);
        if (options->json)
            json_snapshot_write_kept(&out, &picked.model, at, recording_figures,
                                     &(struct recording_kept){history, at.wall_us});
        else
            printed = snapshot_text_print(&out, &picked.model, at, &how);
    }
    free(picked.model.clusters);
    free(picked.elections);
    out.failed |= !printed;
    return message_buffer(&out, status);
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
            status = once_recorded_print_look(history, model, at, invocation);
        } else {
            complain("%s", error ? error : "out of memory");
        }
    }
    history_close(history);
    free(error);
    return status;
}
