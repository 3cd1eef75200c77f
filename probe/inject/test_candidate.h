/*
 * test_candidate.h - one test candidate: the election recipe, step by step, as ZooKeeper's documentation has
 * it.
 *
 *   volunteer: create ELECTION/<guid>-n_ with SEQUENCE|EPHEMERAL   (after a lost connection: find it by its
 * GUID) look:      read the children; order them by number lead:      the smallest is mine  -> acknowledge
 *   watch:     else set an exists watch on the one just before mine; it is gone already -> look again
 *   wake:      that watch fired -> look
 *
 * A candidate survives connection loss in the middle of its create, expiry (it volunteers again), a
 * predecessor that goes between look and watch, and a directory that vanishes. Without a connection it
 * does not take itself for the leader: it is joining again until it has looked.
 *
 * One that is to be ill departs from this in one way: see behaviour.h.
 *
 * Each has a session of its own. All but test_candidate_free() may be called from within the
 * state function.
 */
#ifndef ELECTOP_PROBE_INJECT_TEST_CANDIDATE_H
#define ELECTOP_PROBE_INJECT_TEST_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "probe/inject/behaviour.h"
#include "probe/inject/departure.h"
#include "probe/zookeeper/session.h"

struct test_candidate;

enum test_candidate_state {
    CANDIDATE_JOINING, /* on its way into the line, or without a connection: it does not know where it stands
                        */
    CANDIDATE_WAITING, /* stands behind somebody, and watches that one */
    CANDIDATE_LEADING,
    CANDIDATE_RESIGNED, /* its session lives, and it does not stand */
    CANDIDATE_GONE,     /* it has no session */
    CANDIDATE_STATES
};

struct test_candidate_options {
    const char *hosts;
    int timeout_ms;
    const char *election; /* the directory, or the lock; directories are made if missing */
    /*
     * In front of the number. Replaced: {uuid} and {hex} by a GUID of 36 characters or 32 digits, {session}
     * and {session_hex} by its session's number: "n_", "_c_{uuid}-latch-", "{hex}__lock__",
     * "{session}-node1-n_". Not used with lock.
     */
    const char *name;
    const char *data;         /* its identity, e.g. "host:port"; never NULL */
    const char *mark;         /* path of an ephemeral znode written once it leads; NULL: none */
    const char *mark_data;    /* what is written there; NULL: data */
    bool lock;                /* election is the lock itself: create it, or watch it until it is free */
    enum behaviour behaviour; /* not with lock */
};

/* Called at each change of state (not from within test_candidate_new()). */
typedef void (*test_candidate_fn)(void *context, struct test_candidate *, enum test_candidate_state);

/* Copies the options. fn may be NULL. NULL: out of memory. */
struct test_candidate *test_candidate_new(uv_loop_t *, const struct test_candidate_options *,
                                          test_candidate_fn, void *context);

enum test_candidate_state test_candidate_state(const struct test_candidate *);
/* The full path of its znode while it stands (or holds the lock), else NULL. */
const char *test_candidate_path(const struct test_candidate *);
/* Its mark is written. */
bool test_candidate_acknowledged(const struct test_candidate *);
uint64_t test_candidate_session(const struct test_candidate *);
/* Why it gave up by itself (it may not write there, say) or has no connection; NULL: nothing is wrong. */
const char *test_candidate_problem(const struct test_candidate *);

/* Ways to go, as departure.h has them. One that is paused keeps the state that it believes in. */
void test_candidate_close(struct test_candidate *);
void test_candidate_drop(struct test_candidate *);
void test_candidate_resign(struct test_candidate *);
void test_candidate_pause(struct test_candidate *);
void test_candidate_depart(struct test_candidate *, enum departure);
void test_candidate_resume(struct test_candidate *); /* after a pause */
/* After any of them: stands again. */
void test_candidate_volunteer(struct test_candidate *);

/* Drops its session where it still has one, and frees it. NULL is fine. */
void test_candidate_free(struct test_candidate *);

#endif
