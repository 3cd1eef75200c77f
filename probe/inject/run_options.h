/*
 * run_options.h - the options of a run of test candidates, and how they are read from the command line's
 * texts. Pure.
 *
 * The command line and the dashboard's form fill them in; the run and its crowd read them.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_OPTIONS_H
#define ELECTOP_PROBE_INJECT_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"
#include "probe/candidate/behaviour.h"

/* Of a hundred candidates, so many behave so. The rest follows the recipe. */
struct behaviour_share {
    enum behaviour behaviour;
    double percent; /* > 0; all together at most 100 */
    int slow_ms;    /* BEHAVIOUR_SLOW: how late it acknowledges */
};

enum run_look {
    LOOK_OWN,   /* every candidate reads the directory itself, as the recipe says */
    LOOK_SHARED /* one reading serves all that asked before it began */
};

enum kill_victim { VICTIM_NOBODY, VICTIM_LEADER, VICTIM_RANDOM };

#define BEHAVIOUR_SHARES_MOST 8

struct run_options {
    const struct settings *settings;        /* borrowed: limits, the sandbox */
    const struct cluster_settings *cluster; /* borrowed */
    const char *path;                       /* below the chroot */
    const char *join;                       /* the run that several agents share; NULL: alone */
    const char *name; /* pattern; NULL: as the path's candidates have it, else "{hex}-n_" */
    bool live;        /* in the path itself, behind its real candidates; its configuration allows it */
    bool load;        /* leave for more than the limits, and to slow the ensemble down, within limits */
    bool own;         /* the cluster is the tool's own: it has no other clients to slow down */

    size_t candidates; /* to begin with */
    int rate_per_s;    /* at most so many begin in a second; 0: as fast as the servers take them, in a run
                          within the configured limit unless load */
    struct behaviour_share shares[BEHAVIOUR_SHARES_MOST];
    size_t share_count;
    size_t per_session; /* candidates on one session; 0, 1: each has its own. More sessions are taken where
                           the watches of so many could not be set again in one packet: see crowd_figures */
    enum run_look look;

    enum kill_victim victim; /* who is killed by itself ... */
    uint64_t every_ms;       /* ... and how often, once all are in line */
    enum kill_mode how;
    uint64_t away_ms; /* how long one that was killed stays away before it volunteers again; 0: for ever.
                         run_new() chooses it */
    uint64_t seed;    /* who behaves how, and who is killed; the same seed, the same choice. run_new() chooses
                         it */

    int64_t for_ms;  /* from when all are in line; 0: no limit */
    int64_t wait_ms; /* how long the first connection may take */
    size_t least;    /* where the servers let in fewer than these, it ends; 0: it goes on with who is in */
};

/* Sessions that it takes; more where a packet's limit says so (crowd_sessions()). */
size_t run_options_session_count(const struct run_options *options);

/* NULL: within the limits of what a run may ask of a cluster that is not this program's own, without leave.
   Else what passes which setting of inject:, in one buffer of the caller's, fit to be followed by what to
   do. */
#define LIMITS_TEXT 160
const char *limits_passed(const struct inject_settings *limits, const struct run_options *options,
                          char text[LIMITS_TEXT]);

/*
 * These read a text into its members of the options. NULL: done; else a static text with the error and the
 * remedy, fit to follow the value in a message.
 */

/* "herd", "herd:30%,deaf:10%", "slow:200ms:50%". NULL is the recipe. */
const char *run_options_behaviour(const char *text, struct run_options *options);
/* "leader", "leader:every=2s", "random:every=250ms" */
const char *run_options_kill(const char *text, struct run_options *options);
/* "close", "drop", "pause", "resign" */
const char *run_options_how(const char *text, struct run_options *options);
/* "own", "shared:100" */
const char *run_options_sessions(const char *text, struct run_options *options);

/* What a figure is counted of. */
enum expectation_figure {
    FIGURE_STAND, /* durations, with a percentile */
    FIGURE_FAILOVER,
    FIGURE_DETECTION,
    FIGURE_VACANCY,
    FIGURE_TAKEOVER,
    FIGURE_ERRORS, /* numbers */
    FIGURE_EXPIRED,
    FIGURE_COUNT
};

enum expectation_of { OF_P50, OF_P90, OF_P99, OF_MAX, OF_COUNT };

/* "failover.p99<2s", "failover.count>=10", "errors=0" */
struct expectation {
    enum expectation_figure figure;
    enum expectation_of of; /* OF_COUNT for numbers */
    enum { EXPECT_LESS, EXPECT_AT_MOST, EXPECT_MORE, EXPECT_AT_LEAST, EXPECT_EQUAL } relation;
    int64_t value; /* microseconds, or a number */
};
const char *run_options_expect(const char *text, struct expectation *expectation);

/* A figure that is not known (-1) holds nothing. */
bool expectation_holds(const struct expectation *expectation, int64_t value);

#endif
