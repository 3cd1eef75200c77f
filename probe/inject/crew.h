/*
 * crew.h - one session, and the candidates on it: carries out what they ask (candidate.h) and tells them what
 * comes.
 *
 * Every write of a candidate goes out in crew_asks.c. What befalls the session befalls all of them. A crew
 * that has to watch more than CREW_WATCHED_MOST bytes of paths could not set its watches again after a lost
 * connection: the library sends them in one packet, and above a megabyte the server drops the connection, for
 * ever.
 */
#ifndef ELECTOP_PROBE_INJECT_CREW_H
#define ELECTOP_PROBE_INJECT_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/inject/casting.h"

#define CREW_WATCHED_MOST 700000

/* Room for so many candidates; nobody stands yet. The options are borrowed. NULL: out of memory. */
struct crew *crew_new(const struct crew_options *, size_t candidates);
/* Drops the session where there still is one. Never from within the listener. NULL is fine. */
void crew_free(struct crew *);

/* The next candidate stands, on a session that is opened for the first. tag: its owner's. NULL: no room. */
struct test_candidate *crew_enter(struct crew *, const struct casting *, uint32_t tag);
void *crew_context(const struct crew *); /* of its options */
size_t crew_count(const struct crew *);
struct test_candidate *crew_candidate(struct crew *, size_t i);

/* The session's end, orderly or not; all are gone. True: it had one, with a connection to say so on. */
bool crew_close(struct crew *);
void crew_drop(struct crew *);
void crew_pause(struct crew *);
void crew_resume(struct crew *);
bool crew_paused(const struct crew *);
/* NULL: none. */
struct session *crew_session(const struct crew *);
/* Why it has no connection; NULL: nothing is wrong. */
const char *crew_problem(const struct crew *);

/* One candidate of several. */
struct crew *crew_of(const struct test_candidate *);
uint32_t crew_tag(const struct test_candidate *);
const struct candidacy *crew_machine(const struct test_candidate *);
const char *crew_name(const struct test_candidate *); /* of its znode, while it stands in line; else NULL */
void crew_resign(struct test_candidate *);
/* After it resigned; or after the session's end: on a new one. */
void crew_volunteer(struct test_candidate *);
/* It looks again where it stands. One that is paused cannot. */
void crew_look(struct test_candidate *);

#endif
