/*
 * candidate_session_state.h - the state that a session, its candidates' requests, a shared list and the calls
 * of candidate_session.h all use. Private to this folder.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_CANDIDATE_SESSION_STATE_H
#define ELECTOP_PROBE_CANDIDATE_CANDIDATE_SESSION_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/candidate/candidate_options.h"

struct delay; /* candidate_io.c */

struct test_candidate {
    struct candidate_session *candidate_session;
    const struct candidate_options *candidate_options;
    char *name; /* of its znode; before it is created, without the number. NULL: none yet */
    struct delay *delays;
    struct candidacy machine;
    enum candidate_state reported; /* what its owner knows of it */
    bool reported_acknowledged;
    uint8_t above; /* enum session_result: what making the directories above its own came to */
    uint32_t tag;
};

struct candidate_session {
    const struct candidate_session_options *options;
    const struct session_listener *brings; /* the session's listener */
    struct session *session;               /* NULL: all are gone */
    char *problem;
    bool paused, connected;
    size_t room, count;
    struct test_candidate candidates[];
};

/* Reports a candidate's state to its owner if it has changed. */
void candidate_session_report(struct test_candidate *test_candidate);
/* NULL: nothing is wrong. */
void candidate_session_set_problem(struct candidate_session *candidate_session, const char *text);

/*
 * The session of a crew: its beginning, its end, and another one in its place.
 */

struct candidate_session;
struct session;

/* ... and all candidates are gone with it. */
void shared_session_all_gone(struct candidate_session *candidate_session, void (*how)(struct session *));
/* Another session: what the old one may have left goes with it. */
void shared_session_renew(struct candidate_session *candidate_session);

#endif
