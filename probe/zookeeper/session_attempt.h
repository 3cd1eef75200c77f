/*
 * session_attempt.h - whom a session's attempt to connect is made with, and how it ended, in an operator's
 * words. For session.c, whose traps [next] and [wiped] are met here.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_SESSION_ATTEMPT_H
#define ELECTOP_PROBE_ZOOKEEPER_SESSION_ATTEMPT_H

#include <stdbool.h>
#include <stdint.h>

struct session;

/*
 * Remembers whom an attempt is made with, while the library still says so; begun: it did not fail in the call
 * that chose it. [next] An only server is named when it fails: thousands would spell it out for nothing.
 */
void session_attempt_begun(struct session *, bool begun);

/* The server of the last attempt in the words of the user, where its address came from one of theirs, into
   session.server. */
void session_attempt_name_server(struct session *);

/*
 * [alien] Before the library reads the answer to its greeting: ends the attempt where that is not a
 * ZooKeeper's. The library then finds the connection's end, and none of the answer: the length that it would
 * take its first bytes for may be gigabytes, or less than none, which it never comes to the end of.
 */
void session_attempt_end_alien(struct session *);

/* What kind of end the last attempt had, into session.problem: the library's result, errno after it, and the
   state before. */
void session_attempt_describe(struct session *, int rc, int error, int state_before);
/* The session is given up after so long without a server: says so in front of how the last attempt ended. */
void session_attempt_give_up(struct session *, uint64_t away_ms);
/* The server gave it no session; else something came between. */
bool session_attempt_was_refused(const struct session *, int error, int state_before);

/* [closed] The library has closed the connection behind our back, as when a request could not be written. */
bool session_attempt_broke(const struct session *);

/* After a failure: so that the next attempt is made with the next server, whatever step is taken twice.
   [next] */
void session_attempt_stay_in_turn(struct session *);

#endif
