/*
 * test_candidate.h - a test candidate: the recipe of candidate.h on a real cluster.
 *
 * test_candidate_new() gives it its own session; a crowd (crowd.h) has many, several to a session where
 * requested. All but test_candidate_free() may be called from within the state function.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_TEST_CANDIDATE_H
#define ELECTOP_PROBE_CANDIDATE_TEST_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "probe/candidate/behaviour.h"
#include "probe/candidate/candidate.h"
#include "probe/candidate/guard.h"
#include "probe/zookeeper/session.h"

struct test_candidate;

struct test_candidate_options {
    struct guard *guard; /* through which it writes; must outlive it */
    const char *hosts;
    const struct security_settings *security; /* must stay; NULL: plain */
    int timeout_ms;
    const char *election;     /* the directory, or the lock; directories are made if missing */
    const char *name;         /* in front of the number: naming.h. Not used with lock */
    const char *data;         /* its identity, e.g. "host:port"; never NULL */
    const char *ack;          /* path of an ephemeral znode written once it leads; NULL: none */
    const char *ack_data;     /* the acknowledgement's data; NULL: data */
    bool lock;                /* election is the lock itself: create it, or watch it until it is free */
    enum behaviour behaviour; /* not with lock */
    int slow_ms;              /* BEHAVIOUR_SLOW: how late it acknowledges */
};

/* Called at each change of state (not from within test_candidate_new()). */
typedef void (*test_candidate_fn)(void *context, struct test_candidate *, enum candidate_state);

/* Copies the options. fn may be NULL. NULL: no descriptor is left. */
struct test_candidate *test_candidate_new(uv_loop_t *loop, const struct test_candidate_options *options,
                                          test_candidate_fn fn, void *context);

enum candidate_state test_candidate_state(const struct test_candidate *test_candidate);
/* The name of its znode while it is in line; NULL: it has none, or holds a lock. */
const char *test_candidate_name(const struct test_candidate *test_candidate);
/* Its acknowledgement is written; without an acknowledgement: it leads. */
bool test_candidate_acknowledged(const struct test_candidate *test_candidate);
uint64_t test_candidate_session(const struct test_candidate *test_candidate); /* 0: none */
bool test_candidate_is_paused(const struct test_candidate *test_candidate);
/* Why it gave up by itself (it may not write there, say) or has no connection; NULL: nothing is wrong. */
const char *test_candidate_problem(const struct test_candidate *test_candidate);

/* What happens to its session happens to all on it.
   One that is paused keeps the state that it believes in. */
void test_candidate_depart(struct test_candidate *test_candidate, enum kill_mode how);
void test_candidate_resume(struct test_candidate *test_candidate); /* after a pause */
/* After any other kill: becomes a candidate again. */
void test_candidate_volunteer(struct test_candidate *test_candidate);

/* Of test_candidate_new(): drops its session where it still has one, and frees it. NULL is fine. */
void test_candidate_free(struct test_candidate *test_candidate);

#endif
