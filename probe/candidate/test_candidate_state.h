/*
 * test_candidate_state.h - the state shared by a session, its candidates' requests and a shared list, and
 * their calls to each other. Private to this folder.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_TEST_CANDIDATE_STATE_H
#define ELECTOP_PROBE_CANDIDATE_TEST_CANDIDATE_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/candidate/test_candidate.h"

struct delay; /* candidate_io.c */
struct alone; /* test_candidate.c */

struct test_candidate {
    struct candidate_session *candidate_session;
    const struct candidate_options *options;
    char *name; /* of its znode; before it is created, without the number. NULL: none yet */
    struct delay *delays;
    struct candidacy candidacy;
    enum candidate_state reported; /* the state last reported to its owner */
    bool reported_acknowledged;
    uint8_t above; /* enum session_result: of creating the directories above its own */
    uint32_t tag;
};

struct candidate_session {
    const struct candidate_session_options *options;
    struct alone *alone;     /* the options of test_candidate_new(); NULL: another owner's */
    struct session *session; /* NULL: all are gone */
    char *problem;
    bool paused, connected;
    size_t room, count;
    struct test_candidate candidates[];
};

/* Reports a candidate's state to its owner if it has changed. */
void candidate_session_report(struct test_candidate *test_candidate);
/* problem NULL: there is none. */
void candidate_session_set_problem(struct candidate_session *candidate_session, const char *text);
/* Ends the session with session_close() or session_drop(); all its candidates are then gone. */
void candidate_session_end(struct candidate_session *candidate_session, void (*how)(struct session *));
/* Begins another session: znodes that the old one may have left end with it. */
void candidate_session_renew(struct candidate_session *candidate_session);

/*
 * candidate_io.c: the requests of candidates, and their answers: each is passed to the function of
 * candidate.h that the request names.
 */

/* Carries out the requests of a candidate, and reports its state to its owner. */
void candidate_io_perform(struct test_candidate *test_candidate, struct candidate_asks asks);
/* The answer to a read of the directory, also from a shared list. */
void candidate_io_looked(struct test_candidate *test_candidate, enum session_result result,
                         const struct line_position *position);
/* Cancels its timers for delays and pauses. */
void candidate_io_forget_delays(struct test_candidate *test_candidate);

#endif
