/*
 * source.h - what turns a world into observations: a live cluster, a recording.
 *
 * A source is started with a place to put its observations and runs on the loop until it is freed.
 */
#ifndef ELECTOP_PROBE_SOURCE_SOURCE_H
#define ELECTOP_PROBE_SOURCE_SOURCE_H

#include <stdbool.h>
#include <uv.h>

#include "probe/election/model.h"

struct source {
    /* One complete look has been taken at everything it watches, or it is certain that none can be had. A
       cluster that cannot be reached may be reached yet: whoever waits for it needs a deadline. */
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
    /* The program stood still: all that was known until then may have changed, and is read again. */
    void (*woke)(struct source *);
    /* Ends it: no observation comes any more. Frees the source. */
    void (*stop)(struct source *);
    /* Set by whoever started it, or NULL: called before anything that came in meanwhile is read. */
    void (*reading)(void *context);
    void *context;
};

/* A live cluster: the one at settings->clusters[cluster]. It feeds model, and reads from the model what to
   look at next. */
struct source *live_source_new(uv_loop_t *, struct model *, const struct settings *, unsigned cluster);

#endif
