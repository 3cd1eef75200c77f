/*
 * crew_state.h - a crew from inside: what its session, what its candidates ask, a shared reading and its
 * owner's will (crew.h) all need. For nobody else.
 */
#ifndef ELECTOP_PROBE_INJECT_CREW_STATE_H
#define ELECTOP_PROBE_INJECT_CREW_STATE_H

#include <stddef.h>

#include "probe/inject/casting.h"

struct delay; /* crew_asks.c */

struct test_candidate {
    struct crew *crew;
    const struct casting *casting;
    char *name; /* of its znode; before it is created, without the number. NULL: none yet */
    struct delay *delays;
    struct candidacy machine;
    enum candidate_state told; /* what its owner knows of it */
    bool told_acknowledged;
    uint8_t above; /* enum session_result: what making the directories above its own came to */
    uint32_t tag;
};

struct crew {
    const struct crew_options *options;
    const struct session_listener *brings; /* who is told what a session of it brings */
    struct session *session;               /* NULL: all are gone */
    char *problem;
    bool paused, connected;
    size_t room, count;
    struct test_candidate candidates[];
};

/* Tells the owner how a candidate stands, where that changed. */
void crew_tell(struct test_candidate *);
/* NULL: nothing is wrong. Out of memory: as good as that. */
void crew_set_problem(struct crew *, const char *text);
void crew_set_connected(struct crew *, enum connection_state);

#endif
