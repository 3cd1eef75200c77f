/*
 * crew_inner.h - what crew.c (the session, and its owner) and crew_asks.c (what candidates ask) share. For
 * nobody else.
 */
#ifndef ELECTOP_PROBE_INJECT_CREW_INNER_H
#define ELECTOP_PROBE_INJECT_CREW_INNER_H

#include "probe/inject/crew.h"

struct delay; /* crew_asks.c */

struct test_candidate {
    struct crew *crew;
    const struct casting *casting;
    char *name; /* of its znode; before it is created, without the number. NULL: none yet */
    struct delay *delay;
    struct candidacy machine;
    enum candidate_state told; /* what its owner knows of it */
    bool told_acknowledged;
    uint32_t tag;
};

struct crew {
    const struct crew_options *options;
    struct session *session; /* NULL: all are gone */
    char *problem;
    bool paused, connected;
    size_t room, count;
    struct test_candidate candidates[];
};

/* Carries out what a candidate asks for, and tells its owner how it stands. */
void crew_perform(struct test_candidate *, struct candidate_asks);

/* Asks it of the servers; name: ASK_WATCH, whom. False: it could not be asked, and nobody will answer. */
bool crew_ask(struct test_candidate *, enum candidate_ask, const char *name);
/* Its timer, where it is slow, means nothing any more. */
void crew_delay_forget(struct test_candidate *);

void crew_count_question(const struct test_candidate *, enum candidate_ask);
void crew_count_answer(const struct test_candidate *, enum session_result);

#endif
