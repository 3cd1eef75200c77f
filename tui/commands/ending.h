/*
 * ending.h - how a command comes to its end: a signal or a deadline where it has no screen, and the loop's
 * last handles.
 */
#ifndef ELECTOP_TUI_COMMANDS_ENDING_H
#define ELECTOP_TUI_COMMANDS_ENDING_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "tui/commands/command.h"

#define ENDING_SIGNALS 3

/* The caller's, on its stack, from ending_begin() to ending_finish(). */
struct ending {
    uv_signal_t signals[ENDING_SIGNALS]; /* SIGINT, SIGTERM, SIGHUP */
    uv_timer_t deadlines[2];
    bool passed[2];   /* each deadline: it is over */
    int signal;       /* that came; 0: none */
    int signal_count; /* of signals[]: those that could be had */
    int open;
};

/* Catches signals, ignores SIGPIPE, and arms two deadlines (0: none). False: out of memory. */
bool ending_begin(struct ending *, uv_loop_t *, int64_t first_ms, int64_t second_ms);

/* Lets go of all, running the loop until it has: the signals do again what they did before. */
void ending_finish(struct ending *, uv_loop_t *);

/*
 * Runs a command on a loop of its own and returns its status. After its last work, what has been stopped
 * closes itself. A name being looked up cannot be interrupted, and a slow name server is no reason to keep
 * anybody waiting: what is not closed in half a second ends with the process, here.
 */
int loop_run(int (*command)(uv_loop_t *, const struct invocation *), const struct invocation *);

#endif
