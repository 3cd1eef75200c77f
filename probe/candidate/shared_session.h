/*
 * shared_session.h - the session of a crew: its beginning, its end, and another one in its place.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_SHARED_SESSION_H
#define ELECTOP_PROBE_CANDIDATE_SHARED_SESSION_H

#include <stdbool.h>

struct candidate_session;
struct session;

/* False: out of memory. */
bool shared_session_begin(struct candidate_session *);
/* how: session_close or session_drop. What the session still owes means nothing any more. */
void shared_session_end(struct candidate_session *, void (*how)(struct session *));
/* ... and all candidates are gone with it. */
void shared_session_all_gone(struct candidate_session *, void (*how)(struct session *));
/* Another session: what the old one may have left goes with it. */
void shared_session_renew(struct candidate_session *);

#endif
