/*
 * session_state.h - the state that session.c (the connection), session_attempt.c (how it is made, and fails),
 * session_calls.c (the requests) and session_retry.c (repeated reads) share. Private to this folder: this
 * is the door to the C client.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_SESSION_STATE_H
#define ELECTOP_PROBE_ZOOKEEPER_SESSION_STATE_H

#include <zookeeper/zookeeper.h>

#include "config/connect_string.h"
#include "probe/zookeeper/child_watches.h"
#include "probe/transport/transport.h"
#include "probe/zookeeper/connect_limiter.h"
#include "probe/zookeeper/request.h"
#include "probe/zookeeper/resolver.h"
#include "probe/zookeeper/session_listener.h"

struct session {
    uv_loop_t *loop;
    struct session_listener listener;
    void *context;
    struct connect_string servers;
    struct address *addresses; /* that they were last resolved to */
    size_t address_count;      /* a round of attempts */
    int timeout_asked_ms;
    char *auth_scheme, *auth_credential;
    bool auth_pending; /* sent, and not accepted yet: nothing may be asked before */
    bool refused;      /* not accepted: it would be refused for ever */

    struct transport_link link;
    struct connect_limiter *gate; /* or NULL */
    struct connect_limiter_pass pass;

    zhandle_t *zh;
    struct session_io *io;
    int busy;      /* [nested] how deep in callbacks of the loop: not freed before the outermost returns */
    bool closing;  /* it has no listener any more */
    bool dropping; /* ... without a request to the servers */
    bool paused;
    bool overdue; /* this attempt was ended by our own timer */

    struct resolver *resolver; /* a look-up under way, or NULL */

    enum connection_state state;
    bool established;       /* this handle has had a session */
    uint64_t last_heard_ms; /* loop time at which the connection was last there, or the handle was begun */
    uint64_t heard_ms;      /* ... at which the server said something */
    uint64_t stalled_ms;    /* while input after such a silence is about to be read: its length; else 0 */
    uint64_t silent_ms; /* the connection was given up after it had said nothing for so long; 0: it was not */
    unsigned failures;  /* attempts in a row that failed */
    unsigned refusals;  /* of them, those of servers that gave no session */
    size_t attempt;     /* the address that is tried, or was last; address_count: not known */
    bool moves_on;      /* the library takes a step itself when an attempt fails */
    char server[ADDRESS_SIZE];
    char problem[360];
    struct requests requests; /* not answered yet */
    bool counts_children;
    struct child_watches child_watches; /* where it counts them */
    struct again *again; /* those that the servers would not answer; NULL: there never was one */
};

/* The library's watcher for the session itself and for every watch. */
void session_on_watch(zhandle_t *, int type, int state, const char *path, void *session);

#endif
