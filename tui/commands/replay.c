/*
 * replay.c - the dashboard on a recording.
 */
#include <stdlib.h>

#include "tui/commands/ending.h"
#include "tui/commands/recording.h"
#include "tui/commands/say.h"
#include "tui/show.h"

static int command_replay_on(uv_loop_t *loop, const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    int64_t from_us, to_us, at_us;
    char *error = NULL, *file = recording_file(invocation, options->recording);
    int status = EXIT_USAGE;
    /* What is wrong is told before the screen is taken. */
    struct history *history = file ? recording_open(file, &from_us, &to_us) : NULL;
    bool there = history && recording_moment("at", options->at, from_us, to_us, to_us, &at_us);
    history_close(history);
    struct past *past = there ? past_new(file) : NULL;
    if (past) {
        struct show show = {
            .loop = loop,
            .settings = invocation->settings,
            .color = options->color,
            .past = past,
            .at_us = at_us,
        };
        status = show_run(&show, &error);
    } else if (there) {
        complain("out of memory");
    }
    if (error)
        complain("%s", error);
    past_free(past);
    free(error);
    free(file);
    return status;
}

int command_replay(const struct invocation *invocation)
{
    return loop_run(command_replay_on, invocation);
}
