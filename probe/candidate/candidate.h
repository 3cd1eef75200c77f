/*
 * candidate.h - the election recipe, step by step, as in ZooKeeper's documentation: the project's
 * reference.
 *
 *   volunteer  create ELECTION/<guid>-n_ with SEQUENCE|EPHEMERAL;
 *              after a lost connection: find it by its GUID
 *   look       read the children; order them by number
 *   lead       the smallest is mine: acknowledge, where the layout has an acknowledgement
 *   watch      else set an exists watch on the predecessor; if it is already gone: look again
 *   wake       the watch fired, for any reason: look
 *   step down  delete the acknowledgement, then the znode
 *
 * An overloaded server refuses a request without doing anything: the candidate waits for a moment and
 * determines its next step anew. Any other refusal (no permission, a quota) is final: the candidate leaves
 * and says which request failed.
 *
 * This is the pure part: what a candidate knows, and a function for each event. Each returns the requests to
 * send to the servers now. It does no I/O and has no pointers, so that a test can play through every order of
 * answers, notifications and losses (tests/unit/candidate_model_test.c). test_candidate.h carries it out.
 *
 * The caller owes exactly one answer for each request: in the order of the requests where they reached the
 * servers (a read that was refused is repeated, and is answered later), and SESSION_LOST for those that were
 * lost with a connection. Without a connection a candidate does not consider itself the leader: it is joining
 * again until it has looked.
 *
 * A faulty candidate departs from this in one way: see behaviour.h.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_CANDIDATE_H
#define ELECTOP_PROBE_CANDIDATE_CANDIDATE_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/candidate/behaviour.h"
#include "probe/zookeeper/session.h" /* enum session_result */

enum candidate_state {
    /* Creates or deletes its znode, or has no connection: it does not know its position. Next: WAITING or
     * LEADING after a look at the list; RESIGNED once its znode is deleted; GONE when its session ends. */
    CANDIDATE_JOINING,
    /* Has a predecessor, and watches it. Next: LEADING when a look shows it first; JOINING when it loses its
     * connection, finds its znode deleted, or resigns; GONE when its session ends. */
    CANDIDATE_WAITING,
    /* Is the first, and acknowledges where the layout asks for it. Next: JOINING when it loses its connection,
     * finds its znode deleted, or resigns; GONE when its session ends. */
    CANDIDATE_LEADING,
    /* Its session lives, and it has no znode. Next: JOINING when it volunteers again; GONE. */
    CANDIDATE_RESIGNED,
    /* It has no session. Next: JOINING when it volunteers again, with a new one. */
    CANDIDATE_GONE,
    CANDIDATE_STATES
};

struct acl;
struct guard;

/* The behaviour of one test candidate, and the data that it writes. Set once, never changed; everything is
 * borrowed. */
struct candidate_options {
    struct guard *guard;      /* for all its writes */
    const char *election;     /* the directory, created if missing; or the lock */
    bool lock;                /* election is the lock: create it, or watch it until it is free */
    const char *name;         /* the part before the number: naming.h; NULL: none. Not with lock */
    bool findable;            /* its name contains a unique part; set by the owner of its session */
    const char *data;         /* its identity, e.g. "host:port"; never NULL */
    const char *ack;          /* an ephemeral znode that a leader writes; NULL: none */
    const char *ack_data;     /* NULL: data */
    const struct acl *acl;    /* of everything it creates; NULL: open to everyone */
    enum behaviour behaviour; /* not with lock */
    int slow_ms;              /* BEHAVIOUR_SLOW: the delay of its acknowledgement */
    bool never_leads;         /* if first, it deletes its znode at once, and acknowledges nothing */
};

struct candidacy {
    enum candidate_state state;
    bool volunteers; /* it wants to be a candidate */
    bool connected;
    bool creating, deleting; /* a request for its znode is pending */
    bool in_doubt;           /* the connection broke before that answer: its znode may exist or not */
    bool acknowledged;       /* its acknowledgement is written; in a layout without one: it leads */
    bool delaying;           /* it leads, and delays its acknowledgement */
    bool woken;              /* one of its watches has fired */
    bool resting;            /* the servers are overloaded; it continues in a moment */
    uint16_t looks, watches; /* numbers of requests; only the answer to the latest of each counts */
    int64_t own;             /* number of its znode, or SEQUENCE_NONE; with a lock 0: it holds it */
    int64_t awaited;         /* number of the znode that it watches, or SEQUENCE_NONE */
};

enum candidate_ask {
    /* clang-format off */
    ASK_DIRECTORY,      /* create the directory and its ancestors          -> candidate_prepared() */
    ASK_ORPHAN,         /* create a znode, and forget it */
    ASK_CREATE,         /* create a znode with a new name                  -> candidate_created() */
    ASK_FIND,           /* sync; read the children, look for that name     -> candidate_found() */
    ASK_LOOK,           /* read the children                               -> candidate_looked() */
    ASK_LOOK_AND_WATCH, /* the same, and leave a child watch               -> candidate_looked() */
    ASK_WATCH,          /* exists on "name", and leave a watch             -> candidate_watched() */
    ASK_DELETE,         /* delete its znode                                -> candidate_deleted() */
    ASK_CONTEND,        /* create the lock                                 -> candidate_contended() */
    ASK_LOCK,           /* exists on the lock, and leave a watch           -> candidate_lock_seen() */
    ASK_ACK,           /* create the acknowledgement                      -> candidate_ack_written() */
    ASK_ACK_DIRECTORY, /* create the ancestors of the acknowledgement     -> candidate_prepared() */
    ASK_ACK_SEEN,      /* exists on the acknowledgement, and leave a watch -> candidate_ack_seen() */
    ASK_ACK_GONE,      /* delete the acknowledgement                      -> candidate_ack_gone() */
    ASK_REST,           /* wait a moment                                   -> candidate_rested() */
    ASK_DELAY,          /* wait for the configured delay                   -> candidate_delayed() */
    ASK_RENEW,          /* end the session, and begin another              -> candidate_connected(renewed) */
    ASK_LEAVE           /* end the session; it is gone */
    /* clang-format on */
};

#define CANDIDATE_ASKS_MOST 4

struct candidate_asks {
    struct {
        enum candidate_ask what;
        const char *name; /* ASK_WATCH: the znode; from the list passed to candidate_looked() */
    } list[CANDIDATE_ASKS_MOST];
    unsigned count;
    const char *problem;     /* with ASK_LEAVE: the request that failed finally; or NULL */
    enum session_result why; /* problem: the answer */
};

/* It wants to be a candidate, and has no connection yet. */
void candidate_init(struct candidacy *candidacy);

/* Its session is connected; renewed as in session.h. */
struct candidate_asks candidate_connected(struct candidacy *candidacy,
                                          const struct candidate_options *options, bool renewed);
void candidate_disconnected(struct candidacy *candidacy);
/* Its owner has ended the session, and there is no other. */
void candidate_gone(struct candidacy *candidacy);

/* Answers. number: of the znode that was created or found; SEQUENCE_NONE: not found. mine: this candidate
 * owns it. */
struct candidate_asks candidate_prepared(struct candidacy *candidacy, const struct candidate_options *options,
                                         enum session_result result);
struct candidate_asks candidate_created(struct candidacy *candidacy, const struct candidate_options *options,
                                        enum session_result result, int64_t number);
struct candidate_asks candidate_found(struct candidacy *candidacy, const struct candidate_options *options,
                                      enum session_result result, int64_t number);
struct candidate_asks candidate_looked(struct candidacy *candidacy, const struct candidate_options *options,
                                       enum session_result result, const struct line_position *position);
struct candidate_asks candidate_watched(struct candidacy *candidacy, const struct candidate_options *options,
                                        enum session_result result);
struct candidate_asks candidate_deleted(struct candidacy *candidacy, const struct candidate_options *options,
                                        enum session_result result);
struct candidate_asks candidate_contended(struct candidacy *candidacy,
                                          const struct candidate_options *options,
                                          enum session_result result);
struct candidate_asks candidate_lock_seen(struct candidacy *candidacy,
                                          const struct candidate_options *options, enum session_result result,
                                          bool mine);
struct candidate_asks candidate_ack_written(struct candidacy *candidacy,
                                            const struct candidate_options *options,
                                            enum session_result result);
struct candidate_asks candidate_ack_seen(struct candidacy *candidacy, const struct candidate_options *options,
                                         enum session_result result, bool mine);
struct candidate_asks candidate_ack_gone(struct candidacy *candidacy, const struct candidate_options *options,
                                         enum session_result result);
struct candidate_asks candidate_rested(struct candidacy *candidacy, const struct candidate_options *options);
struct candidate_asks candidate_delayed(struct candidacy *candidacy, const struct candidate_options *options);

/* One of its session's watches fired, for any reason, and is used up. number: of the znode, which others may
 * watch, too. */
struct candidate_asks candidate_noticed(struct candidacy *candidacy, const struct candidate_options *options,
                                        int64_t number);
struct candidate_asks candidate_noticed_directory(struct candidacy *candidacy,
                                                  const struct candidate_options *options);
struct candidate_asks candidate_noticed_lock(struct candidacy *candidacy,
                                             const struct candidate_options *options);
struct candidate_asks candidate_noticed_ack(struct candidacy *candidacy,
                                            const struct candidate_options *options);

/* At its owner's request: deletes its znode and keeps the session; or becomes a candidate again. */
struct candidate_asks candidate_resign(struct candidacy *candidacy, const struct candidate_options *options);
struct candidate_asks candidate_volunteer(struct candidacy *candidacy,
                                          const struct candidate_options *options);

#endif
