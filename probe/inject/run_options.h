/*
 * run_options.h - the options of a run of test candidates, and their parsing from the command line.
 * Pure. The number of candidates (-n) is checked by config/option_table.c.
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

/* The percentage of candidates with a behaviour. The others follow the recipe. */
struct behaviour_share {
    enum behaviour behaviour;
    double percent; /* > 0; at most 100 in total */
    int slow_ms;    /* BEHAVIOUR_SLOW: the delay of its acknowledgement */
};

enum run_look {
    LOOK_OWN,   /* every candidate reads the directory itself, as the recipe says */
    LOOK_SHARED /* one read serves all requests made before it began */
};

enum kill_victim { VICTIM_NOBODY, VICTIM_LEADER, VICTIM_RANDOM };

#define BEHAVIOUR_SHARES_MOST 8

struct run_options {
    const struct settings *settings;        /* borrowed: limits, the sandbox */
    const struct cluster_settings *cluster; /* borrowed */
    const char *path;                       /* below the chroot */
    const char *join; /* the name of a run shared by several agents; NULL: a single one */
    const char *name; /* pattern; NULL: as used by the path's candidates, else "{hex}-n_" */
    bool live;        /* join the real candidates of the path itself; its configuration allows it */
    bool load;        /* permission to exceed the limits and to slow the ensemble down, within bounds */
    bool own;         /* the cluster is the tool's own: it has no other clients to slow down */

    size_t candidates; /* the initial number */
    int rate_per_s;    /* the maximum that begin in a second; 0: as fast as the servers accept them, in a run
                          within the configured limit unless load */
    struct behaviour_share shares[BEHAVIOUR_SHARES_MOST];
    size_t share_count;
    size_t per_session; /* candidates per session; 0, 1: one. More sessions are used if their watches could
                           not be set again in one packet: see crowd_figures */
    enum run_look look;

    enum kill_victim victim; /* the victim of scheduled kills */
    uint64_t every_ms;       /* the interval of kills, once all candidates are in position */
    enum kill_mode how;
    uint64_t away_ms; /* how long a killed candidate stays away before it joins again; 0: for ever. run_new()
                         chooses it */
    uint64_t seed;    /* selects behaviours and victims; the same seed gives the same selection. run_new()
                         chooses it */

    int64_t for_ms;  /* from the time all are in position; 0: no limit */
    int64_t wait_ms; /* the time limit for the first connection */
    size_t least;    /* if the servers admit fewer, the run ends; 0: it continues with those admitted */
};

/* The number of sessions requested; a packet limit may require more (crowd_sessions()). */
size_t run_options_session_count(const struct run_options *options);

/* NULL: the options are within the limits for a run without permission on another's cluster. Else the
 * exceeded limit and its setting in inject:, in one buffer of the caller's; a remedy may follow the text. */
#define LIMITS_TEXT 160
const char *limits_passed(const struct inject_settings *limits, const struct run_options *options,
                          char text[LIMITS_TEXT]);

/*
 * These parse a text into the options. NULL: done; else a static text with the error and the remedy, to
 * follow the value in a message.
 */

/* "herd", "herd:30%,deaf:10%", "slow:200ms:50%". NULL is the recipe. */
const char *run_options_behaviour(const char *text, struct run_options *options);
/* "leader", "leader:every=2s", "random:every=250ms" */
const char *run_options_kill(const char *text, struct run_options *options);
/* "close", "drop", "pause", "resign" */
const char *run_options_how(const char *text, struct run_options *options);
/* "own", "shared:100" */
const char *run_options_sessions(const char *text, struct run_options *options);

/* The subject of an expected figure. */
enum expectation_figure {
    EXPECTED_STAND, /* durations, with a percentile */
    EXPECTED_FAILOVER,
    EXPECTED_DETECTION,
    EXPECTED_VACANCY,
    EXPECTED_TAKEOVER,
    EXPECTED_ERRORS, /* numbers */
    EXPECTED_EXPIRED,
    EXPECTED_COUNT
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

/* An unknown figure (-1) fulfils no expectation. */
bool expectation_holds(const struct expectation *expectation, int64_t value);

#endif
