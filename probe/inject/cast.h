/*
 * cast.h - a cast of test candidates that plays elections in the layouts of well-known systems.
 *
 * For the demo, and for tests that need living elections: leaders come and go by closing, resigning and
 * vanishing in turn, some elections are calm, one is vacant half of the time, one is long. Beside them stand
 * ill ones, one of each common illness. These are calm, so that what is found there stays.
 */
#ifndef ELECTOP_PROBE_INJECT_CAST_H
#define ELECTOP_PROBE_INJECT_CAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "probe/inject/test_candidate.h"

/* One election of the cast. In the texts %d is the member's number from 1, and %c its letter from a. */
struct play {
    const char *election;
    const char *title; /* how people would call it; NULL: by its path */
    const char *name;  /* as test_candidate_options has it, with %d and %c; NULL: election is a lock */
    const char *data;
    const char *mark; /* or NULL */
    const char *mark_data;
    int members;
    int first_ms;        /* when the leader goes for the first time; 0: never (calm) */
    int every_ms;        /* ... and again after that */
    int away_ms;         /* how long one that has gone stays away */
    bool anybody;        /* a member from the end of the line goes, not the leader */
    bool free_is_normal; /* a lock as people use one: nobody need hold it */
    /*
     * Where the behaviour is not the recipe's, members come on one after another, each once the one before it
     * stands, so that it is known who is ill.
     */
    enum behaviour behaviour;
    int ill; /* the member that behaves so; 0: all of them */
};

/* The demo's plays; *count of them. */
const struct play *cast_demo(size_t *count);

struct cast;

/*
 * hosts: of an ensemble that this program has started, since a cast writes where its plays are.
 * Brings them on, some tens of sessions at a time, and lets them play until cast_free(). The plays are not
 * copied. NULL: out of memory.
 */
struct cast *cast_new(uv_loop_t *, const char *hosts, int timeout_ms, const struct play *, size_t count);

/* Everybody has stood, at least once. */
bool cast_complete(const struct cast *);

/* The one that leads a play now, or NULL. */
struct test_candidate *cast_leader(const struct cast *, size_t play);

/* All vanish without a word (for an ensemble that ends too, or whose servers remove them). NULL is fine. */
void cast_free(struct cast *);

#endif
