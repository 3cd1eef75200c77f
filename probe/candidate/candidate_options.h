/*
 * candidate_options.h - options of the test candidates of one session: the behaviour of each, the session
 * they share, and the listener.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_CANDIDATE_OPTIONS_H
#define ELECTOP_PROBE_CANDIDATE_CANDIDATE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "probe/candidate/behaviour.h"
#include "probe/candidate/candidate.h"
#include "probe/candidate/guard.h"
#include "probe/zookeeper/session.h"

struct candidate_session;
struct test_candidate;
struct shared_list; /* shared_list.h */

/* Callbacks; each may be NULL. Called from the loop. */
struct candidate_session_listener {
    void (*changed)(void *context, struct test_candidate *); /* its state, or that it has acknowledged */
    void (*placed)(void *context, struct test_candidate *, const struct line_place *); /* it has looked */
    /* Something was sent to the servers for it (ASK_DELAY is not), or answered. */
    void (*asked)(void *context, enum candidate_ask);
    void (*answered)(void *context, enum session_result);
    /* A watch of this session fired; number: of the candidate, or SEQUENCE_NONE: of something else. */
    void (*noticed)(void *context, int64_t number);
    void (*gave_up)(void *context, const char *problem); /* one of them; why */
    void (*connection)(void *context, struct candidate_session *, bool was_connected, enum connection_state);
};

/* How one candidate behaves. Pointers are borrowed, and must outlive the session. */
struct candidate_options {
    struct guard *guard;  /* through which it writes */
    const char *election; /* the directory, or the lock */
    const char *name;     /* naming.h */
    const char *data, *ack, *ack_data;
    const struct acl *acl;
    struct candidate_rules rules;
    int slow_ms;
};

struct candidate_session_options {
    uv_loop_t *loop;
    struct session_options session; /* borrowed */
    struct shared_list *reading;    /* shared; NULL: each reads the directory itself */
    struct candidate_session_listener listener;
    void *context;
};

#endif
