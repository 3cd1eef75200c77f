/*
 * session_state.h - the state that session.c (the connection), session_attempt.c (how it is made, and fails),
 * session_calls.c (the requests) and session_retry.c (repeated reads) share. Private to this folder: this
 * is the door to the C client.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_SESSION_STATE_H
#define ELECTOP_PROBE_ZOOKEEPER_SESSION_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zookeeper/zookeeper.h>

#include "config/connect_string.h"
#include "probe/transport/transport.h"
#include "probe/zookeeper/answer.h"
#include "probe/zookeeper/connect_limiter.h"
#include "probe/zookeeper/resolver.h"
#include "probe/zookeeper/session_listener.h"

/* ---- the requests of a session that are not answered yet: each gets exactly one answer ---- */

struct session;

enum answer_kind { ANSWER_NODE, ANSWER_CHILDREN, ANSWER_TEXT, ANSWER_ACL, ANSWER_NOTHING };

struct request {
    struct requests *all;
    enum answer_kind kind;
    union {
        session_node_fn node;
        session_children_fn children;
        session_text_fn text;
        session_acl_fn acl;
    } fn;
    void *context;
    bool (*send)(struct request *); /* of a read, which may be sent again; false: the library takes none */
    bool watch;                     /* ... leaving a watch */
    bool may_be_too_large;          /* which is an answer */
    unsigned refusals;              /* so often the servers would not answer */
    struct request *previous, *next;
    char path[]; /* of a read */
};

struct requests {
    struct session *session;
    struct request *latest;
    uint64_t open, answered; /* how many */
};

/* The answer to a request of any kind. */
struct answer {
    enum session_result result;
    const struct znode_stat *stat;
    const void *data;
    size_t length; /* of data, or the number of names */
    char *const *names;
    const char *path;
    const struct acl *acl;
};

/* It is answered in a way that is no answer, and kept for later by the caller; it is sent once more. */
void request_detach(struct request *request);
void request_attach(struct request *request);

/*
 * Gives the answer and frees the request. It is unlinked before, since the answer may close the session or
 * ask again.
 */
void request_answer(struct request *request, const struct answer *answer);

/* Answers all of them, in order, with SESSION_LOST. The library still holds them: its own answers find
 * nothing to do. */
void requests_give_up(struct requests *all);

/*
 * The paths on whose children a session has a one-shot watch set at its server.
 *
 * No server lists watches on children, so the session counts its own: one is added when the list that sets it
 * has been answered, and taken out when its notification has come. Paths are kept as 64-bit hashes.
 */

struct child_watch {
    uint64_t hash; /* 0: free */
    int64_t since_us;
};

/* All zero: empty. */
struct child_watches {
    struct child_watch *list;
    size_t room, count;
};

/* Set since then (monotonic), or before where it was set already. True: it was not set. */
bool child_watches_add(struct child_watches *child_watches, const char *path, int64_t since_us);
/* True: it was set. */
bool child_watches_remove(struct child_watches *child_watches, const char *path);
/* Those that were set by then and still are. */
size_t child_watches_since(const struct child_watches *child_watches, int64_t by_us);
/* The connection was lost and is back, and the library has set all of them again by now. */
void child_watches_restart(struct child_watches *child_watches, int64_t now_us);
void child_watches_clear(struct child_watches *child_watches);

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
    struct connect_limiter *limiter; /* or NULL */
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
    unsigned logins_wanted; /* connections in a row that ended as the server wants a login */
    size_t attempt;         /* the address that is tried, or was last; address_count: not known */
    bool moves_on;          /* the library takes a step itself when an attempt fails */
    char server[ADDRESS_SIZE];
    char problem[360];
    struct requests requests; /* not answered yet */
    bool counts_children;
    struct child_watches child_watches; /* where it counts them */
    struct again *again; /* those that the servers would not answer; NULL: there never was one */
};

/* The library's watcher for the session itself and for every watch. */
void session_on_watch(zhandle_t *zh, int type, int state, const char *path, void *session);

#endif
