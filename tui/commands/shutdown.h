/*
 * shutdown.h - how a command ends: a signal or a deadline if it has no screen, and the loop's last handles.
 */
#ifndef ELECTOP_TUI_COMMANDS_SHUTDOWN_H
#define ELECTOP_TUI_COMMANDS_SHUTDOWN_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "tui/commands/command.h"

#define SHUTDOWN_SIGNALS 3

/* The caller's, on its stack, from shutdown_begin() to shutdown_finish(). */
struct shutdown {
    uv_signal_t signals[SHUTDOWN_SIGNALS]; /* SIGINT, SIGTERM, SIGHUP */
    uv_timer_t deadlines[2];
    bool passed[2];   /* each deadline: it is over */
    int signal;       /* the first that arrived; 0: none */
    int signal_count; /* of signals[]: those that were available */
    int open;
    bool in_order; /* the command has work to do at its end: once it has heard a signal, it takes its time */
};

/* Catches signals, after which the program ends within a second, ignores SIGPIPE, lets no message wait, and arms two
 * deadlines (0: none). False: no descriptor is left. */
bool shutdown_begin(struct shutdown *ending, uv_loop_t *loop, int64_t first_ms, int64_t second_ms);

/*
 * Releases everything, running the loop until done. The signals get their former actions; after one has
 * arrived, they are ignored.
 */
void shutdown_finish(struct shutdown *ending, uv_loop_t *loop);

/*
 * Runs a command on a new loop and returns its status. After its last work, stopped handles close by
 * themselves. A name look-up cannot be interrupted, and the user should not wait for a slow name server:
 * handles still open after half a second end here, with the process.
 */
int shutdown_run_loop(int (*command)(uv_loop_t *, const struct invocation *),
                      const struct invocation *invocation);

#endif
