/*
 * candidate_session.h - one session and its candidates: carries out their requests (candidate.h) and passes
 * on the answers.
 *
 * candidate_io.c sends every write of a candidate. A change of the session affects all of its candidates. A
 * session that watches more than CANDIDATE_SESSION_WATCHED_MOST bytes of paths could not set its watches
 * again after a lost connection: the library sends them in one packet, and above a megabyte the server drops
 * the connection, for ever.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_CANDIDATE_SESSION_H
#define ELECTOP_PROBE_CANDIDATE_CANDIDATE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/candidate/candidate_options.h"

#define CANDIDATE_SESSION_WATCHED_MOST 700000

/* Room for so many candidates; there are none yet. The options are borrowed. */
struct candidate_session *candidate_session_new(const struct candidate_session_options *options,
                                                size_t candidates);
/* Drops the session where there still is one. Never from within the listener. NULL is fine. */
void candidate_session_free(struct candidate_session *candidate_session);

/* Adds a candidate; the first one opens the session. tag: its owner's. NULL: no room. */
struct test_candidate *candidate_session_enter(struct candidate_session *candidate_session,
                                               const struct candidate_options *candidate_options,
                                               uint32_t tag);
void *candidate_session_context(const struct candidate_session *candidate_session); /* of its options */
size_t candidate_session_count(const struct candidate_session *candidate_session);
struct test_candidate *candidate_session_candidate(struct candidate_session *candidate_session, size_t i);

/* The session's end, orderly or not; all are gone. True: it had one, with a connection to say so on. */
bool candidate_session_close(struct candidate_session *candidate_session);
void candidate_session_drop(struct candidate_session *candidate_session);
void candidate_session_pause(struct candidate_session *candidate_session);
void candidate_session_resume(struct candidate_session *candidate_session);
bool candidate_session_paused(const struct candidate_session *candidate_session);
/* NULL: none. */
struct session *candidate_session_session(const struct candidate_session *candidate_session);
/* Why it has no connection; NULL: nothing is wrong. */
const char *candidate_session_problem(const struct candidate_session *candidate_session);

/* One candidate of several. */
struct candidate_session *candidate_session_of(const struct test_candidate *test_candidate);
uint32_t candidate_session_tag(const struct test_candidate *test_candidate);
const struct candidacy *candidate_session_machine(const struct test_candidate *test_candidate);
const char *candidate_session_name(
    const struct test_candidate *test_candidate); /* of its znode, while it exists; else NULL */
void candidate_session_resign(struct test_candidate *test_candidate);
/* After it resigned; or after the session's end: on a new one. */
void candidate_session_volunteer(struct test_candidate *test_candidate);
/* It determines its place again. A paused one cannot. */
void candidate_session_look(struct test_candidate *test_candidate);

#endif
