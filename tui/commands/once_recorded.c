/*
 * once_recorded.c - the snapshot of a moment of a recording, in place of a cluster.
 */
#include <stdlib.h>

#include "config/znode_path.h"
#include "probe/election/summary.h"
#include "tui/commands/command_output.h"
#include "tui/commands/snapshot_exit.h"
#include "tui/commands/command_recording.h"
#include "tui/output/snapshot_forms.h"
#include "tui/words/election_filter.h"

struct recorded_choice {
    const struct options *options;
    struct moment at;
};

static bool once_recorded_wants(const void *context, const struct election *election)
{
    const struct recorded_choice *choice = context;
    const char *filter = choice->options->filter;
    return command_recording_wants(choice->options, election) &&
           (!filter || election_filter_match(filter, election, choice->at));
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
            complain("%s was not watched at that moment", options->paths[i]);
        missing |= !found;
    }
    return missing;
}

static int once_recorded_print_snapshot(struct history *history, const struct model *model, struct moment at,
                                        const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    struct picked_model picked = {0};
    const struct recorded_choice choice = {options, at};
    struct buffer out = {0};
    picked_model_make(&picked, model, once_recorded_wants, &choice);
    int status = snapshot_exit_status(&picked.model, options->strict);
    if (complain_unrecorded(&picked.model, options))
        status = EXIT_NO_SNAPSHOT;
    command_recording_snapshot(&out, &picked.model, at, invocation, history);
    picked_model_release(&picked);
    return command_output_buffer(&out, status);
}

int command_once_recorded(const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    int64_t from_us, to_us, at_us;
    char *error = NULL;
    int status = EXIT_USAGE;
    struct history *history = command_recording_open(options->replay, &from_us, &to_us);
    if (history &&
        command_recording_moment("at", options->at, from_us, to_us, history_end_us(history), &at_us)) {
        const struct model *model = history_at(history, at_us, &error);
        if (model) {
            struct moment at = {.mono_us = model->now.mono_us + (at_us - model->now.wall_us),
                                .wall_us = at_us};
            status = once_recorded_print_snapshot(history, model, at, invocation);
        }
    }
    history_close(history);
    complain_problem(error);
    return status;
}
