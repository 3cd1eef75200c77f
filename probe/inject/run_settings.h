/*
 * run_settings.h - the settings of a run of test candidates, and its listener.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_SETTINGS_H
#define ELECTOP_PROBE_INJECT_RUN_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"
#include "probe/inject/crowd.h"
#include "probe/inject/run_options.h"

struct run_options {
    const struct settings *settings;        /* borrowed: limits, the sandbox */
    const struct cluster_settings *cluster; /* borrowed */
    const char *path;                       /* below the chroot */

    size_t candidates;
    int rate_per_s; /* 0: as fast as the servers take them, within the configured ceiling unless load */
    struct crowd_part parts[RUN_OPTIONS_PARTS];
    size_t part_count;
    enum crowd_victim victim;
    uint64_t every_ms;
    enum kill_mode how;
    size_t per_session;
    enum crowd_look look;
    const char *join; /* the run that several agents share; NULL: alone */
    const char *name; /* pattern; NULL: as the path's candidates have it, else "n_" */
    int64_t for_ms;   /* from when all are in line; 0: no limit */
    int64_t wait_ms;  /* how long the first connection may take */
    size_t least;     /* where the servers let in fewer than these, it ends; 0: it goes on with who is in */
    bool live;        /* in the path itself, behind its real candidates; its configuration allows it */
    bool load;        /* leave for more than the ceiling, and to slow the ensemble down, within limits */
    bool own;         /* the cluster is the tool's own: it has no other clients to slow down */
};

struct run_listener {
    void (*changed)(void *context);                                    /* its phase; may be NULL */
    void (*failed_over)(void *context, const struct crowd_failover *); /* may be NULL */
    void (*over)(void *context); /* once; then run_free() may be called, not from within */
};

#endif
