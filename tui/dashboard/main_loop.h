/*
 * main_loop.h - the dashboard on a real terminal: the event loop, keys, signals, and when to draw.
 *
 * It draws after a change, at most every refresh_ms (the effect of a key at once), and wakes the process once
 * a second for the clock; otherwise it uses no CPU.
 */
#ifndef ELECTOP_TUI_DASHBOARD_MAIN_LOOP_H
#define ELECTOP_TUI_DASHBOARD_MAIN_LOOP_H

#include <stdbool.h>
#include <uv.h>

#include "config/options.h"
#include "config/settings.h"
#include "tui/dashboard/dashboard.h"

struct main_loop {
    uv_loop_t *loop;
    const struct settings *settings;
    enum color_choice color;
    const char *filter;         /* the initial filter of the overview; NULL: none */
    const char *sort, *columns; /* as in dashboard_arrange() */
    const struct model *model;  /* NULL: not live, only a recording is shown */
    const struct event_log *events;
    struct replay *past;   /* the recording; NULL: none, and why_not */
    const char *why_not;   /* or NULL */
    const char *case_file; /* that past was made from, or NULL */
    int64_t at_us;         /* not live: the initial time */
    clock_fn clock;        /* NULL: the real one */
    /* The first complete snapshot is available, so that the first screen need not wait; NULL: it is. */
    bool (*complete)(void *context);
    /* A user clears a finding of a candidate: see monitor_clear(). NULL: not live, so nothing can be
     * cleared. */
    void (*clear)(void *context, const char *cluster, const char *election, const char *candidate);
    /* A user has muted a finding: the event, to be recorded; whether it is. NULL: not live. author: the user's name. */
    bool (*mute)(void *context, const struct event *);
    const char *author;
    /* Called every second: a message of its owner to the user, malloc'd; NULL: none. NULL: never called.
     * expected: it is nothing to worry about. */
    char *(*complaint)(void *context, bool *expected);
    /* A bundle is wanted: the observations until now go into the recording (begin, then once a second). True:
     * they are there. NULL: they always are. */
    bool (*settle)(void *context, bool begin);
    /* Called before each draw: whether an event has occurred since that rings the bell. NULL: never. */
    bool (*rings)(void *context);
    /* A user wants the configuration to be read again. True: done, and main_loop_run() returns
     * MAIN_LOOP_RELOAD, to be called again. False: it is wrong, and problem says why. NULL: not live. */
    bool (*reload)(void *context, char *problem, size_t size);
    struct tells *tells; /* of the dashboards before this one, too; NULL: not live */
    /* The model is complete enough to report changes: after a reload, not at once. NULL: always. */
    bool (*tells_now)(void *context);
    const struct run_control_interface *control; /* controls test candidates; NULL: not available */
    void *context;                               /* of all */
};

#define MAIN_LOOP_RELOAD (-1)

/*
 * Runs the loop until the user quits or a signal ends it; the loop and everything else on it remain the
 * caller's. Returns the exit status of the contract (0, or 128+n). EXIT_USAGE with a text in *error (the
 * caller frees it) if no terminal can show it.
 */
int main_loop_run(const struct main_loop *show, char **error);

#endif
