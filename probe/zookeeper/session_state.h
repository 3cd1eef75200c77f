/*
 * session_state.h - the state shared by session.c (the connection), session_attempt.c (attempts and their
 * failures), session_calls.c (the requests) and read_retry.c (repeated reads). Private to this folder: it
 * gives access to the C client.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_SESSION_STATE_H
#define ELECTOP_PROBE_ZOOKEEPER_SESSION_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zookeeper/zookeeper.h>

#include "config/connect_string.h"
#include "config/hash_table.h"
#include "probe/transport/transport.h"
#include "probe/zookeeper/answer.h"
#include "probe/zookeeper/connect_limiter.h"
#include "probe/zookeeper/resolver.h"
#include "probe/zookeeper/session_listener.h"

/* ---- the unanswered requests of a session: each gets exactly one answer ---- */

struct session;

struct request {
    struct requests *all;
    session_answer_fn fn; /* NULL: it has been called */
    void *context;
    bool (*send)(struct request *); /* of a read, which may be sent again; false: the library refused it */
    bool watch;                     /* set a watch */
    bool lists;                     /* children */
    bool confirms;                  /* news does not pay for it: see read_account.h */
    bool urgent;                    /* if it has to wait: before others */
    bool may_be_too_large;          /* SESSION_TOO_LARGE is a valid answer */
    unsigned refusals;              /* how often the servers refused */
    struct request *previous, *next;
    char path[]; /* of a read */
};

struct requests {
    struct session *session;
    struct request *latest;
    uint64_t open, answered; /* their number */
};

/* Detaches a refused request, so that the caller can keep it and send it again. */
void request_detach(struct request *request);
void request_attach(struct request *request);

/*
 * Passes on the answer and frees the request. The request is unlinked first, since the receiver may close the
 * session or send another request.
 */
void request_answer(struct request *request, const struct session_answer *answer);

/* Answers all requests, in order, with SESSION_LOST. The library still holds them: its own answers find
 * nothing to do. */
void requests_give_up(struct requests *all);

/*
 * The paths whose children a session watches with a one-shot watch set at its server.
 *
 * No server lists child watches, so the session counts its own. One is added when the list that sets it has
 * been answered, and removed when its notification has arrived. Paths are kept as 64-bit hashes.
 */

struct child_watch {
    struct hash_link link;
    uint64_t hash;
    int64_t since_us;
    bool listed; /* its list has been read since it was set, or set again */
};

/* All zero: empty. */
struct child_watches {
    struct hash_table table;
    int64_t changed_us; /* the latest change, monotonic */
};

/* Adds a watch, set since then (monotonic), or earlier if it was set already. True: it was not set. */
bool child_watches_add(struct child_watches *child_watches, const char *path, int64_t since_us);
/* True: it was set. */
bool child_watches_remove(struct child_watches *child_watches, const char *path, int64_t now_us);
/* The number of watches that were set by then and still are. */
size_t child_watches_since(const struct child_watches *child_watches, int64_t by_us);
/* The connection was lost and is back, and the library has set all watches again. */
void child_watches_restart(struct child_watches *child_watches, int64_t now_us);
void child_watches_clear(struct child_watches *child_watches);

struct session {
    uv_loop_t *loop;
    struct session_listener listener;
    void *context;
    struct connect_string servers;
    struct address *addresses; /* the latest result of the look-up */
    size_t address_count;      /* a round of attempts */
    int timeout_asked_ms;
    char *auth_scheme, *auth_credential;
    bool auth_pending; /* sent, and not accepted yet: no requests until then */
    bool refused;      /* not accepted: retries would always be refused */

    struct transport_link link;
    struct connect_limiter *limiter; /* or NULL */
    struct connect_limiter_pass pass;

    zhandle_t *zh;
    struct session_io *io;
    int busy;      /* [nested] depth of callbacks from the loop: freed only after the outermost returns */
    bool closing;  /* it has no listener any more */
    bool dropping; /* close without a request to the servers */
    bool paused;
    bool overdue; /* our own timer ended this attempt */

    struct resolver *resolver; /* a look-up under way, or NULL */
    uint64_t asked_ms;         /* loop time when it began */
    bool told_silent;          /* ... that no name server answers */
    bool some;                 /* the addresses are those of some of the servers */

    enum connection_state state;
    bool established;       /* this handle has had a session */
    uint64_t last_heard_ms; /* loop time when the connection was last established, or the handle created */
    uint64_t heard_ms;      /* loop time when the server last sent something */
    uint64_t stalled_ms;    /* the silence before input that is about to be read; else 0 */
    bool owing;             /* the server owed an answer before the library's latest call */
    uint64_t silent_ms;     /* the length of the silence that ended the connection; 0: another cause */
    unsigned failures;      /* consecutive failed attempts */
    unsigned refusals;      /* those of them in which the server gave no session */
    unsigned logins_wanted; /* consecutive connections that the server ended for lack of a login */
    size_t attempt;         /* the address being tried, or the last one; address_count: unknown */
    bool moves_on;          /* the library itself moves to the next server when an attempt fails */
    char server[ADDRESS_SIZE];
    char problem[360];
    struct requests requests; /* not answered yet */
    bool counts_children;
    struct child_watches child_watches; /* if the session counts them */
    struct again *again;                /* reads that the servers refused; NULL: none so far */
    struct read_account *account;       /* or NULL */
};

/* The library's watcher for the session itself and for every watch. */
void session_on_watch(zhandle_t *zh, int type, int state, const char *path, void *session);

#endif
