/*
 * source.h - what turns a world into observations: a live cluster, a recording.
 *
 * A source is started with a place to put its observations and runs on the loop until it is freed.
 */
#ifndef ELECTOP_PROBE_WATCH_SOURCE_H
#define ELECTOP_PROBE_WATCH_SOURCE_H

#include <stdbool.h>
#include <uv.h>

#include "probe/election/model.h"

struct source {
    /* One complete snapshot of everything it watches has been taken, or certainly cannot be. A
       cluster that cannot be reached may be reached yet: a caller that waits needs a deadline. */
    bool (*looked)(struct source *);
    /* Ask the servers now whatever can be asked, also where that is done on demand only. */
    void (*ask)(struct source *);
    /* What ask() began has not all come yet. */
    bool (*is_asking)(const struct source *);
    /* There is an election at this full path, as is known from elsewhere. Where elections are discovered, it
       is watched. */
    void (*known)(struct source *, const char *path);
    /* The look ends here, complete or not. True: it was still searching for elections, which from now on is
       the cluster's problem. NULL: it never searches. */
    bool (*cut)(struct source *);
    /* The program was stalled: all earlier facts may have changed, and are read again. */
    void (*woke)(struct source *);
    /* Ends it: no observation comes any more. Frees the source. */
    void (*stop)(struct source *);
    /* Set by the owner, or NULL: called before any pending input is read. */
    void (*reading)(void *context);
    void *context;
};

/* A live cluster: the one at settings->clusters[cluster]. It feeds model, and reads from the model what to
   look at next. */
struct source *live_source_new(uv_loop_t *, struct model *, const struct settings *, unsigned cluster);

#endif
