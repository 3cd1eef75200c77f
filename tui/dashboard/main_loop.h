/*
 * main_loop.h - the dashboard on a real terminal: the event loop, keys, signals, and when to draw.
 *
 * It draws when something changed, at most every refresh_ms (a key's effect at once), and wakes the process
 * once a second for the clock; between these it costs nothing.
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
    const char *filter;         /* of the overview, to begin with; NULL: none */
    const char *sort, *columns; /* ... as dashboard_arrange() takes them */
    const struct model *model;  /* NULL: nothing is live, only the past is shown */
    const struct event_log *events;
    struct replay *past;           /* the recording; NULL: none, and why_not */
    const char *why_not;           /* or NULL */
    int64_t at_us;                 /* where nothing is live: the moment to begin with */
    clock_fn clock;                /* NULL: the real one */
    bool (*looked)(void *context); /* the first complete look is there, so that the first picture need not
                                      wait; NULL: it is */
    /* A person's word on a candidate: see monitor_clear(). NULL: nothing is live,
       so nothing can be cleared. */
    void (*clear)(void *context, const char *cluster, const char *election, const char *candidate);
    /* A person has muted a finding: the event, to be recorded. NULL: nothing is live. author: whose name
       it bears. */
    void (*mute)(void *context, const struct event *);
    const char *author;
    /* Asked every second: what its owner has to say to the user, malloc'd; NULL: nothing. NULL: never. */
    char *(*complaint)(void *context);
    /* Asked before each picture: something happened since that the bell is for. NULL: never. */
    bool (*rings)(void *context);
    /* A person wants the configuration read again. True: it has been, and main_loop_run() returns
       MAIN_LOOP_RELOAD, to be called again. False: it is wrong, and problem says how. NULL: nothing is live.
     */
    bool (*reload)(void *context, char *problem, size_t size);
    const struct run_control_interface *control; /* where test candidates can be had; NULL: nowhere */
    void *context;                               /* of all */
};

#define MAIN_LOOP_RELOAD (-1)

/*
 * Runs the loop until the user quits or a signal ends it; the loop and all else that runs on it stay the
 * caller's. Returns the exit status of the contract (0, or 128+n). EXIT_USAGE with a text in *error (caller
 * frees) where there is no terminal that can show it.
 */
int main_loop_run(const struct main_loop *show, char **error);

#endif
