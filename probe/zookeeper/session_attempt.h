/*
 * session_attempt.h - which server a session tried to connect to, and how the attempt ended, in an operator's
 * words. For session.c, which lists the traps of the C client ([next] and [wiped] are avoided here).
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_SESSION_ATTEMPT_H
#define ELECTOP_PROBE_ZOOKEEPER_SESSION_ATTEMPT_H

#include <stdbool.h>
#include <stdint.h>

struct session;

/*
 * Remembers the server of an attempt while the library still knows it. begun: it did not fail in the call
 * that chose the server. [next] A single server is named only on failure: thousands of sessions would name it
 * for nothing.
 */
void session_attempt_begun(struct session *session, bool begun);

/* Stores the server of the last attempt in session.server, under the name that the user wrote if the address
 * came from a name. */
void session_attempt_name_server(struct session *session);

/* Stores in session.problem how the last attempt ended, from the library's result, the errno after it, and
 * the previous state. */
void session_attempt_describe(struct session *session, int rc, int error, int state_before);
/* The session is given up after this time without a server: adds that before the description of the last
 * attempt. */
void session_attempt_give_up(struct session *session, uint64_t away_ms);
/* The server gave no session; false: the attempt failed in another way. */
bool session_attempt_was_refused(const struct session *session, int error, int state_before);

/* [closed] The library has closed the connection unnoticed, for example because a request could not be
 * written. */
bool session_attempt_broke(const struct session *session);

/* Call this after a failure: makes the next attempt use the next server, even if a step was taken twice.
 * [next] */
void session_attempt_stay_in_turn(struct session *session);

#endif
