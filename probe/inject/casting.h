/*
 * casting.h - how a crew of test candidates is cast: the part that each plays, the session that they share,
 * and who is told.
 */
#ifndef ELECTOP_PROBE_INJECT_CASTING_H
#define ELECTOP_PROBE_INJECT_CASTING_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "probe/inject/behaviour.h"
#include "probe/inject/candidate.h"
#include "probe/inject/guard.h"
#include "probe/zookeeper/session.h"

struct crew;
struct test_candidate;
struct reading; /* reading.h */

/* Who is told of what happens; each may be NULL. Called from the loop. */
struct crew_listener {
    void (*changed)(void *context, struct test_candidate *); /* its state, or that it has acknowledged */
    void (*placed)(void *context, struct test_candidate *, const struct place *); /* it has looked */
    /* Something was sent to the servers for it (ASK_DELAY is not), or answered. */
    void (*asked)(void *context, enum candidate_ask);
    void (*answered)(void *context, enum session_result);
    /* A watch of this session fired; number: of the candidate, or SEQUENCE_NONE: of something else. */
    void (*noticed)(void *context, int64_t number);
    void (*gave_up)(void *context, const char *problem); /* one of them; why */
    void (*connection)(void *context, struct crew *, bool was_connected, enum connection_state);
};

/* A part in the play: how one stands. Pointers are borrowed, and must outlive the crew. */
struct casting {
    struct guard *guard;  /* through which it writes */
    const char *election; /* the directory, or the lock */
    const char *name;     /* naming.h */
    const char *data, *mark, *mark_data;
    const struct acl *acl;
    struct candidate_rules rules;
    int slow_ms;
};

struct crew_options {
    uv_loop_t *loop;
    struct session_options session; /* borrowed */
    struct reading *reading;        /* shared; NULL: each reads the directory itself */
    struct crew_listener listener;
    void *context;
};

#endif
