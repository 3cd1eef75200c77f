/*
 * candidate.h - one test candidate: the election recipe, step by step, as ZooKeeper's documentation has it.
 *
 *   volunteer: create ELECTION/<guid>-n_ with SEQUENCE|EPHEMERAL   (after a lost connection: find it by its GUID)
 *   look:      read the children; order them by number
 *   lead:      the smallest is mine  -> acknowledge
 *   watch:     else set an exists watch on the one just before mine; it is gone already -> look again
 *   wake:      that watch fired -> look
 *
 * A candidate survives connection loss in the middle of its create, expiry (it volunteers again), a
 * predecessor that goes between look and watch, and a directory that vanishes.
 */
#ifndef ELECTOP_PROBE_INJECT_CANDIDATE_H
#define ELECTOP_PROBE_INJECT_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "probe/zookeeper/session.h"

struct test_candidate;

enum test_candidate_state { CANDIDATE_JOINING, CANDIDATE_WAITING, CANDIDATE_LEADING, CANDIDATE_GONE };

struct test_candidate_options {
    const char *hosts;
    int timeout_ms;
    const char *election;    /* the directory; made if missing */
    const char *name;        /* in front of the number; "{guid}" is replaced: "n_", "_c_{guid}-latch-", "{guid}__lock__" */
    const char *data;        /* its identity, e.g. "host:port"; never NULL */
    const char *mark;        /* written (ephemeral, data as above) once it leads; NULL: none */
    bool lock;               /* election is the lock itself: create it, or watch it until it is free */
};

typedef void (*test_candidate_fn)(void *context, struct test_candidate *, enum test_candidate_state);

struct test_candidate *test_candidate_new(uv_loop_t *, const struct test_candidate_options *, test_candidate_fn, void *context);

enum test_candidate_state test_candidate_state(const struct test_candidate *);

/* Ways to go: close its session; vanish without a word; delete its znode and keep the session. */
void test_candidate_close(struct test_candidate *);
void test_candidate_drop(struct test_candidate *);
void test_candidate_resign(struct test_candidate *);
/* After resign: stands again. */
void test_candidate_volunteer(struct test_candidate *);

/* Closes it if need be, and frees it. */
void test_candidate_free(struct test_candidate *);

#endif
