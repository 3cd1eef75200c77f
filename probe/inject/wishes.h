/*
 * wishes.h - what a user asks of a run of test candidates, read from the words of the command line (or of the
 * dashboard's form). Pure.
 *
 * Every function returns NULL when all is well, else a static text that says what is wrong and what to do,
 * fit to follow the value in a message.
 */
#ifndef ELECTOP_PROBE_INJECT_WISHES_H
#define ELECTOP_PROBE_INJECT_WISHES_H

#include "probe/inject/crowd_options.h"

#define WISHES_PARTS 8

/* "herd", "herd:30%,deaf:10%", "slow:200ms:50%". What is left follows the recipe. NULL is nothing. */
const char *wishes_behaviour(const char *text, struct crowd_part parts[WISHES_PARTS], size_t *count);

/* "leader", "leader:every=2s", "random:every=250ms". */
const char *wishes_kill(const char *text, enum crowd_victim *, uint64_t *every_ms);

/* "close", "drop", "pause", "resign" */
const char *wishes_how(const char *text, enum departure *);

/* "own", "shared:100" */
const char *wishes_sessions(const char *text, size_t *per_session);

/* What a figure is counted of. */
enum wish_figure {
    FIGURE_STAND, /* durations, with a percentile */
    FIGURE_FAILOVER,
    FIGURE_DETECTION,
    FIGURE_VACANCY,
    FIGURE_TAKEOVER,
    FIGURE_ERRORS, /* numbers */
    FIGURE_EXPIRED,
    FIGURE_COUNT
};

enum wish_of { OF_P50, OF_P90, OF_P99, OF_MAX, OF_COUNT };

/* "failover.p99<2s", "failover.count>=10", "errors=0" */
struct expectation {
    enum wish_figure figure;
    enum wish_of of; /* OF_COUNT for numbers */
    enum { EXPECT_LESS, EXPECT_AT_MOST, EXPECT_MORE, EXPECT_AT_LEAST, EXPECT_EQUAL } relation;
    int64_t value; /* microseconds, or a number */
};
const char *wishes_expect(const char *text, struct expectation *);

/* A figure that is not known (-1) holds nothing. */
bool expectation_holds(const struct expectation *, int64_t value);

#endif
