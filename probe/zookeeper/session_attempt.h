/*
 * session_attempt.h - the server of a session's attempt to connect, and how it ended, in an operator's
 * words. For session.c; it avoids the traps [next] and [wiped].
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_SESSION_ATTEMPT_H
#define ELECTOP_PROBE_ZOOKEEPER_SESSION_ATTEMPT_H

#include <stdbool.h>
#include <stdint.h>

struct session;

/*
 * Remembers the server of an attempt, while the library still knows it; begun: it did not fail in the call
 * that chose it. [next] An only server is named when it fails: thousands would name it for nothing.
 */
void session_attempt_begun(struct session *session, bool begun);

/* The server of the last attempt as the user wrote it, where its address came from such a name, into
   session.server. */
void session_attempt_name_server(struct session *session);

/* What kind of end the last attempt had, into session.problem: the library's result, errno after it, and the
   state before. */
void session_attempt_describe(struct session *session, int rc, int error, int state_before);
/* The session is given up after so long without a server: says so in front of how the last attempt ended. */
void session_attempt_give_up(struct session *session, uint64_t away_ms);
/* The server gave it no session; else something came between. */
bool session_attempt_was_refused(const struct session *session, int error, int state_before);

/* [closed] The library has closed the connection behind our back, as when a request could not be written. */
bool session_attempt_broke(const struct session *session);

/* After a failure: so that the next attempt is made with the next server, whatever step is taken twice.
   [next] */
void session_attempt_stay_in_turn(struct session *session);

#endif
