/*
 * test_candidate.h - test candidates on a real cluster: the recipe of candidate.h, carried out on a session.
 *
 * test_candidate_new() gives a candidate its own session; a crowd (crowd.h) opens sessions for several
 * candidates each. An event of a session affects all of its candidates. candidate_io.c sends every write of a
 * candidate.
 *
 * A session that watches more than CANDIDATE_SESSION_WATCHED_MOST bytes of paths could not set its watches
 * again after a lost connection: the library sends them in one packet, and above a megabyte the server always
 * drops the connection.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_TEST_CANDIDATE_H
#define ELECTOP_PROBE_CANDIDATE_TEST_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "probe/candidate/candidate.h"
#include "probe/candidate/guard.h"
#include "probe/zookeeper/session.h"

#define CANDIDATE_SESSION_WATCHED_MOST 700000

struct candidate_session;
struct test_candidate;
struct shared_list; /* shared_list.h */

/* Callbacks; each may be NULL. Called from the loop. */
struct candidate_listener {
    void (*changed)(void *context, struct test_candidate *); /* its state, or that it has acknowledged */
    void (*positioned)(void *context, struct test_candidate *,
                       const struct line_position *); /* it has read the list */
    /* A request was sent to the servers for it (except ASK_DELAY), or answered. */
    void (*asked)(void *context, enum candidate_ask);
    void (*answered)(void *context, enum session_result);
    /* A watch of this session fired; number: of the candidate, or SEQUENCE_NONE: another znode. */
    void (*noticed)(void *context, int64_t number);
    void (*gave_up)(void *context, const char *problem); /* one of its candidates; the reason */
    void (*connection)(void *context, struct candidate_session *, bool was_connected, enum connection_state);
};

/* The options shared by the candidates of one session. */
struct candidate_session_options {
    uv_loop_t *loop;
    struct session_options session;  /* borrowed */
    struct shared_list *shared_list; /* NULL: each reads the directory itself */
    struct candidate_listener listener;
    void *context;
};

/* ---- a session ---- */

/* Reserves room for this many candidates; there are none yet. The options are borrowed. */
struct candidate_session *candidate_session_new(const struct candidate_session_options *options,
                                                size_t candidates);
/* Drops the session if there still is one. Never call this from the listener. NULL is allowed. */
void candidate_session_free(struct candidate_session *candidate_session);

/* Adds a candidate; the first one opens the session. The options are borrowed, and may be shared with other
 * candidates. tag: for its owner. NULL: no room, or no descriptor is left. */
struct test_candidate *candidate_session_enter(struct candidate_session *candidate_session,
                                               const struct candidate_options *options, uint32_t tag);
size_t candidate_session_count(const struct candidate_session *candidate_session);
struct test_candidate *candidate_session_candidate(struct candidate_session *candidate_session, size_t i);

/* Ends the session properly. True: it had a connection to request the end. */
bool candidate_session_close(struct candidate_session *candidate_session);
void candidate_session_drop(struct candidate_session *candidate_session);
void candidate_session_resume(struct candidate_session *candidate_session); /* after KILL_PAUSE */
bool candidate_session_paused(const struct candidate_session *candidate_session);
/* NULL: none. */
struct session *candidate_session_session(const struct candidate_session *candidate_session);
/* Why a candidate gave up (for example, no write permission), or why there is no connection; NULL: no
 * problem. */
const char *candidate_session_problem(const struct candidate_session *candidate_session);

/* ---- one candidate ---- */

/* Creates a candidate with its own session. The texts of options are copied; other objects that session and
 * options point to must outlive it. Returns NULL if no descriptor is left. */
struct test_candidate *test_candidate_new(uv_loop_t *loop, const struct session_options *session,
                                          const struct candidate_options *options);
/* Only for test_candidate_new(): drops its session if it still has one. Never call this from the listener.
 * NULL is allowed. */
void test_candidate_free(struct test_candidate *test_candidate);

struct candidate_session *candidate_session_of(const struct test_candidate *test_candidate);
uint32_t test_candidate_tag(const struct test_candidate *test_candidate);
const struct candidacy *test_candidate_candidacy(const struct test_candidate *test_candidate);
/* The name of its znode, while it exists; NULL: there is none, or it is a lock. */
const char *test_candidate_name(const struct test_candidate *test_candidate);

/* A paused candidate keeps its last known state. Only KILL_RESIGN does not affect the others on its
 * session. */
void test_candidate_kill(struct test_candidate *test_candidate, enum kill_mode how);
/* Becomes a candidate again: after it resigned; or after the session's end, on a new session. */
void test_candidate_volunteer(struct test_candidate *test_candidate);
/* Determines its position again. Not possible while paused. */
void test_candidate_look(struct test_candidate *test_candidate);

#endif
