/*
 * demo_elections.h - test candidates that run elections in the layouts of well-known systems.
 *
 * For the demo, and for tests that need living elections: leaders close, resign and vanish in turn, some
 * elections are calm, one is vacant half of the time, one is long. Beside them are faulty ones, one of each
 * common illness. These are calm, so that their findings stay.
 */
#ifndef ELECTOP_PROBE_DEMO_DEMO_ELECTIONS_H
#define ELECTOP_PROBE_DEMO_DEMO_ELECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "probe/candidate/test_candidate.h"

/* One election of the demo. In the texts %d is the member's number from 1, and %c its letter from a. */
struct play {
    const char *election;
    const char *title; /* how people would call it; NULL: by its path */
    const char *name;  /* as candidate_options has it, with %d and %c; NULL: election is a lock */
    const char *data;
    const char *ack; /* or NULL */
    const char *ack_data;
    int members;
    int first_ms;        /* when the leader goes for the first time; 0: never (calm) */
    int every_ms;        /* ... and again after that */
    int away_ms;         /* how long one that has gone stays away */
    bool anybody;        /* a member from the end of the line goes, not the leader */
    bool free_is_normal; /* a lock in normal use: it may be free */
    /*
     * Where the behaviour is not the recipe's, members join one after another, each once the previous one is
     * in line, so that it is known which of them is faulty.
     */
    enum behaviour behaviour;
    int ill; /* the member that behaves so; 0: all of them */
};

/* The demo's plays; *count of them. */
const struct play *demo_elections_demo(size_t *count);

struct demo_elections;
struct security_settings; /* config/security.h; they must stay */

/*
 * hosts: of an ensemble that this program has started, since it writes where its plays are.
 * Brings them on, some tens of sessions at a time, and lets them play until demo_elections_free(). The plays
 * are not copied.
 */
struct demo_elections *demo_elections_new(uv_loop_t *loop, const char *hosts,
                                          const struct security_settings *security, int timeout_ms,
                                          const struct play *plays, size_t count);

/* Every member has been in line, at least once. */
bool demo_elections_complete(const struct demo_elections *demo);

/* The one that leads a play now, or NULL. */
struct test_candidate *demo_elections_leader(const struct demo_elections *demo, size_t play);

/* All vanish without a word (for an ensemble that ends too, or whose servers remove them). NULL is fine. */
void demo_elections_free(struct demo_elections *demo);

#endif
