/*
 * run_control_interface.h - how the dashboard controls a run of test candidates: one run at a time.
 *
 * run_control.h implements it; tests use a scripted one.
 */
#ifndef ELECTOP_TUI_VIEWS_RUN_CONTROL_INTERFACE_H
#define ELECTOP_TUI_VIEWS_RUN_CONTROL_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/inject/run.h"

/* A test candidate, as a line of a list. name: valid until the loop turns. */
struct run_candidate {
    const char *name; /* NULL: it has no znode */
    enum candidate_state state;
    bool paused;
};

enum run_act { RUN_ADD, RUN_KILL, RUN_PAUSE, RUN_RESUME, RUN_RESIGN };

/* Texts give the reason for a refusal, in a line or two of a screen. */
struct run_control_interface {
    void *context;
    bool own; /* the cluster is this program's own: no limits apply */
    /* Whether this run may begin. The options of the form: the path is full, with the chroot, or NULL: a
     * separate election in the sandbox. Cluster, settings and everything else are added. */
    bool (*allows)(void *context, const struct run_options *, char *problem, size_t size);
    bool (*begin)(void *context, const struct run_options *, char *problem, size_t size);
    void (*end)(void *context);
    bool (*is_busy)(void *context); /* a run is in progress */
    /* The present report; NULL: there was no run yet. */
    const struct run_report *(*report)(void *context);
    size_t (*count)(void *context);
    struct run_candidate (*candidate)(void *context, size_t i);
    bool (*act)(void *context, enum run_act, size_t i, char *problem, size_t size);
};

#endif
