/*
 * replay.c - the dashboard on a recording.
 */
#include <stdlib.h>

#include "probe/case/case_file.h"
#include "tui/commands/command_output.h"
#include "tui/commands/command_recording.h"
#include "tui/commands/shutdown.h"
#include "tui/dashboard/main_loop.h"

static int command_replay_on(uv_loop_t *loop, const struct invocation *invocation)
{
    const struct options *options = invocation->options;
    int64_t from_us, to_us, at_us;
    const char *named = options->recording ? options->recording : options->replay;
    char *error = NULL, *file = command_recording_file(invocation, named);
    int status = EXIT_USAGE;
    /* An error is printed before the screen is opened. */
    struct history *history = file ? command_recording_open(file, &from_us, &to_us) : NULL;
    bool there = history &&
                 command_recording_moment("at", options->at, from_us, to_us, history_end_us(history), &at_us);
    history_close(history);
    struct replay *past = there ? replay_new(file) : NULL;
    if (there) {
        struct main_loop show = {
            .loop = loop,
            .settings = invocation->settings,
            .color = options->color,
            .filter = options->filter,
            .sort = options->sort,
            .columns = options->columns,
            .past = past,
            .case_file = invocation->source && case_is(invocation->source) ? invocation->source : NULL,
            .at_us = at_us,
        };
        status = main_loop_run(&show, &error);
    }
    complain_problem(error);
    replay_free(past);
    free(file);
    return status;
}

int command_replay(const struct invocation *invocation)
{
    return shutdown_run_loop(command_replay_on, invocation);
}
