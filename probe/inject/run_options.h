/*
 * run_options.h - options of a run of test candidates, parsed from the command line (or the dashboard's
 * form). Pure.
 *
 * Every function returns NULL on success, else a static text with the error and the remedy,
 * fit to follow the value in a message.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_OPTIONS_H
#define ELECTOP_PROBE_INJECT_RUN_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"
#include "probe/inject/crowd.h"

/*
 * How much a run may ask of a cluster that is not this program's own, without leave. Pure.
 */

struct demand {
    size_t sessions;
    int rate_per_s;    /* 0: whatever the ceiling is */
    uint64_t every_ms; /* between two deaths, each of which causes a create; 0: no deaths */
};

/* NULL: within the ceiling. Else what passes which setting of inject:, in one buffer of the caller's, fit to
   be followed by what to do. */
#define LIMITS_TEXT 160
const char *limits_passed(const struct inject_settings *limits, const struct demand *demand,
                          char text[LIMITS_TEXT]);

#define RUN_OPTIONS_PARTS 8

/* "herd", "herd:30%,deaf:10%", "slow:200ms:50%". The rest follows the recipe. NULL is nothing. */
const char *run_options_behaviour(const char *text, struct crowd_part parts[RUN_OPTIONS_PARTS],
                                  size_t *count);

/* "leader", "leader:every=2s", "random:every=250ms". */
const char *run_options_kill(const char *text, enum crowd_victim *victim, uint64_t *every_ms);

/* "close", "drop", "pause", "resign" */
const char *run_options_how(const char *text, enum kill_mode *how);

/* "own", "shared:100" */
const char *run_options_sessions(const char *text, size_t *per_session);

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
