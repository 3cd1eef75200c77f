/*
 * candidate.h - the election recipe, step by step, as ZooKeeper's documentation has it: the project's
 * reference.
 *
 *   volunteer  create ELECTION/<guid>-n_ with SEQUENCE|EPHEMERAL;
 *              after a lost connection: find it by its GUID
 *   look       read the children; order them by number
 *   lead       the smallest is mine: acknowledge, where the layout has a mark for that
 *   watch      else set an exists watch on the one just before mine; it is gone already: look again
 *   wake       the watch fired, whatever for: look
 *   step down  take the mark away, then the znode
 *
 * Servers that are overloaded say so, and have done nothing: then it rests for a moment, and takes the step
 * that it finds to be the next one. Any other refusal (it may not write there, a quota is used up) is for
 * good: it leaves, and says what it could not do.
 *
 * This is the pure part: what a candidate knows, and a function for each thing that can happen to it. Each
 * returns what is to be asked of the servers now. It does no I/O and has no pointers, so that a test can play
 * through every order of answers, notifications and losses (tests/unit/candidate_model_test.c). Who carries
 * it out is test_candidate.h.
 *
 * Whoever asks owes exactly one answer for each question: in the order of the questions where they went to
 * the servers (a read that these refused is asked again, and comes later), and SESSION_LOST for those that a
 * connection took with it. Without a connection a candidate
 * does not take itself for the leader: it is joining again until it has looked.
 *
 * One that is to be ill departs from this in one way: see behaviour.h.
 */
#ifndef ELECTOP_PROBE_INJECT_CANDIDATE_H
#define ELECTOP_PROBE_INJECT_CANDIDATE_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/inject/behaviour.h"
#include "probe/zookeeper/session.h" /* enum session_result */

enum candidate_state {
    CANDIDATE_JOINING, /* on its way into the line, or without a connection: it does not know where it stands
                        */
    CANDIDATE_WAITING, /* stands behind somebody, and watches that one */
    CANDIDATE_LEADING,
    CANDIDATE_RESIGNED, /* its session lives, and it does not stand */
    CANDIDATE_GONE,     /* it has no session */
    CANDIDATE_STATES
};

/* What it is told once, and does not change. */
struct candidate_rules {
    const struct manner *manner;
    bool lock;        /* one znode for all: create it, or watch it until it is free */
    bool mark;        /* a leader acknowledges by creating an ephemeral znode */
    bool findable;    /* its name holds something that nobody else's does */
    bool never_leads; /* first: it deletes its znode at once */
};

struct candidacy {
    enum candidate_state state;
    bool standing; /* it wants to stand */
    bool connected;
    bool creating, deleting; /* its znode; the answer is still to come */
    bool in_doubt;           /* the connection broke before that answer: it may stand or not */
    bool acknowledged;       /* its mark is written; without a mark: it leads */
    bool delaying;           /* it leads, and is slow to say so */
    bool woken;              /* a watch of its own has fired once */
    bool resting;            /* the servers take no more; it goes on in a moment */
    uint16_t looks, watches; /* questions under way; only the answer to the latest of each counts */
    int64_t own;             /* number of its znode, or SEQUENCE_NONE; with a lock 0: it holds it */
    int64_t awaited;         /* number of the znode that it watches, or SEQUENCE_NONE */
};

enum candidate_ask {
    /* clang-format off */
    ASK_DIRECTORY,      /* create the directory, and what is above it      -> candidate_prepared() */
    ASK_ORPHAN,         /* create a znode, and forget it */
    ASK_CREATE,         /* create a znode with a new name                  -> candidate_created() */
    ASK_FIND,           /* sync; read the children, look for that name     -> candidate_found() */
    ASK_LOOK,           /* read the children                               -> candidate_looked() */
    ASK_LOOK_AND_WATCH, /* the same, and leave a child watch               -> candidate_looked() */
    ASK_WATCH,          /* exists on "name", and leave a watch             -> candidate_watched() */
    ASK_DELETE,         /* delete its znode                                -> candidate_deleted() */
    ASK_CONTEND,        /* create the lock                                 -> candidate_contended() */
    ASK_LOCK,           /* exists on the lock, and leave a watch: whose?   -> candidate_lock_seen() */
    ASK_MARK,           /* create the mark                                 -> candidate_marked() */
    ASK_MARK_DIRECTORY, /* create what is above the mark                   -> candidate_prepared() */
    ASK_MARK_SEEN,      /* exists on the mark, and leave a watch: whose?   -> candidate_mark_seen() */
    ASK_MARK_GONE,      /* delete the mark                                 -> candidate_mark_gone() */
    ASK_REST,           /* a moment                                        -> candidate_rested() */
    ASK_DELAY,          /* as long as it is to be slow                     -> candidate_delayed() */
    ASK_RENEW,          /* end the session, and begin another              -> candidate_connected(renewed) */
    ASK_LEAVE           /* end the session; it is gone */
    /* clang-format on */
};

#define CANDIDATE_ASKS_MOST 4

struct candidate_asks {
    struct {
        enum candidate_ask what;
        const char *name; /* ASK_WATCH: whom; from the list that was given to candidate_looked() */
    } list[CANDIDATE_ASKS_MOST];
    unsigned count;
    const char *problem; /* with ASK_LEAVE: what it could not do, and no second try would change; or NULL */
    enum session_result why; /* problem: the answer */
};

/* It wants to stand, and has no connection yet. */
void candidate_init(struct candidacy *);

/* Its session: renewed as session.h has it. */
struct candidate_asks candidate_connected(struct candidacy *, const struct candidate_rules *, bool renewed);
void candidate_disconnected(struct candidacy *);
/* The session is over, and there is no other: by its owner's will. */
void candidate_gone(struct candidacy *);

/* Answers. number: of the znode that was created or found; SEQUENCE_NONE: not found. mine: by its owner. */
struct candidate_asks candidate_prepared(struct candidacy *, const struct candidate_rules *,
                                         enum session_result);
struct candidate_asks candidate_created(struct candidacy *, const struct candidate_rules *,
                                        enum session_result, int64_t number);
struct candidate_asks candidate_found(struct candidacy *, const struct candidate_rules *, enum session_result,
                                      int64_t number);
struct candidate_asks candidate_looked(struct candidacy *, const struct candidate_rules *,
                                       enum session_result, const struct place *);
struct candidate_asks candidate_watched(struct candidacy *, const struct candidate_rules *,
                                        enum session_result);
struct candidate_asks candidate_deleted(struct candidacy *, const struct candidate_rules *,
                                        enum session_result);
struct candidate_asks candidate_contended(struct candidacy *, const struct candidate_rules *,
                                          enum session_result);
struct candidate_asks candidate_lock_seen(struct candidacy *, const struct candidate_rules *,
                                          enum session_result, bool mine);
struct candidate_asks candidate_marked(struct candidacy *, const struct candidate_rules *,
                                       enum session_result);
struct candidate_asks candidate_mark_seen(struct candidacy *, const struct candidate_rules *,
                                          enum session_result, bool mine);
struct candidate_asks candidate_mark_gone(struct candidacy *, const struct candidate_rules *,
                                          enum session_result);
struct candidate_asks candidate_rested(struct candidacy *, const struct candidate_rules *);
struct candidate_asks candidate_delayed(struct candidacy *, const struct candidate_rules *);

/* One of its session's watches fired, whatever for: it is spent. number: of the znode; others may watch it,
 * too. */
struct candidate_asks candidate_noticed(struct candidacy *, const struct candidate_rules *, int64_t number);
struct candidate_asks candidate_noticed_directory(struct candidacy *, const struct candidate_rules *);
struct candidate_asks candidate_noticed_lock(struct candidacy *, const struct candidate_rules *);
struct candidate_asks candidate_noticed_mark(struct candidacy *, const struct candidate_rules *);

/* Its owner's will: stand no longer, but keep the session; stand again. */
struct candidate_asks candidate_resign(struct candidacy *, const struct candidate_rules *);
struct candidate_asks candidate_volunteer(struct candidacy *, const struct candidate_rules *);

#endif
