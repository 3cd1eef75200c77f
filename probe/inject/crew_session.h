/*
 * crew_session.h - the session of a crew: its beginning, its end, and another one in its place.
 */
#ifndef ELECTOP_PROBE_INJECT_CREW_SESSION_H
#define ELECTOP_PROBE_INJECT_CREW_SESSION_H

#include <stdbool.h>

struct crew;
struct session;

/* False: out of memory. */
bool crew_session_begin(struct crew *);
/* how: session_close or session_drop. What the session still owes means nothing any more. */
void crew_session_end(struct crew *, void (*how)(struct session *));
/* ... and all candidates are gone with it. */
void crew_all_gone(struct crew *, void (*how)(struct session *));
/* Another session: what the old one may have left goes with it. */
void crew_session_renew(struct crew *);

#endif
