/*
 * behaviour.h - the faulty behaviours of test candidates, and a candidate's position among the others.
 *
 * One table lists every fault of real clients that a diagnosis knows. The candidate's own steps (candidate.c)
 * are always those of the recipe; they ask the table which znode to watch, and which step to omit.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_BEHAVIOUR_H
#define ELECTOP_PROBE_CANDIDATE_BEHAVIOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/zookeeper/session.h"

enum behaviour {
    BEHAVIOUR_RECIPE,   /* no fault: as in candidate.h */
    BEHAVIOUR_DEAF,     /* never watches, so it is never notified */
    BEHAVIOUR_HERD,     /* watches the leader instead of its predecessor */
    BEHAVIOUR_CHILDREN, /* watches the directory: every change notifies all of them */
    BEHAVIOUR_ONCE,     /* does not watch again once its watch has fired */
    BEHAVIOUR_SLOW,     /* acknowledges late */
    BEHAVIOUR_SKIP,     /* watches the candidate before its predecessor, as after a stale list */
    BEHAVIOUR_SELF,     /* watches its own znode */
    BEHAVIOUR_TWICE, /* has two znodes: the answer to its first create was lost, and it did not search for the
                        znode */
    BEHAVIOUR_PERSISTENT, /* its znode is not ephemeral, and its session ends as soon as the znode exists */
    BEHAVIOUR_MUTE,       /* leads and never acknowledges */
    BEHAVIOUR_FORGETFUL,  /* resigns once it has acknowledged, and leaves its acknowledgement behind */
    BEHAVIOUR_COUNT
};

/* The znode that a waiting candidate watches. */
enum whom { WHOM_PREDECESSOR, WHOM_LEADER, WHOM_CHILDREN, WHOM_SKIPPED, WHOM_SELF, WHOM_NOBODY };

/* A row of the table. */
struct behaviour_rules {
    const char *word; /* as in `inject --behaviour`; NULL: only in the demo and in tests */
    enum whom watches;
    enum create_mode mode; /* of its znode */
    bool creates_twice;
    bool leaves;       /* ends its session as soon as its znode exists */
    bool watches_once; /* does not set its watch again */
    bool is_slow;      /* waits before it acknowledges */
    bool is_mute;      /* writes no acknowledgement */
    bool keeps_ack;    /* resigns once its acknowledgement is written, and does not remove it */
};

const struct behaviour_rules *behaviour_rules_of(enum behaviour behaviour);
/* Finds it by its word ("predecessor", "hold"); BEHAVIOUR_COUNT: none. */
enum behaviour behaviour_find(const char *word);

/* One candidate of a list. name: borrowed from that list; NULL: there is none. */
struct line_member {
    const char *name;
    int64_t number;
};

/* A candidate's position among the others. */
struct line_position {
    bool in_line; /* false: it is not in the list, and the other members are unknown */
    struct line_member self, leader, skipped,
        predecessor; /* the candidates before it: the first, the last but one, the last */
};

/*
 * The position of the candidate with this number, which is unique. By number, never by the whole name: a
 * prefix before the number makes the order of names random.
 */
struct line_position position_in_line(int64_t mine, char *const *names, size_t count);

/* The candidate to watch; NULL: none, or more than one. The position must not be the first. */
const struct line_member *position_watched(const struct line_position *position, enum whom whom);

/*
 * How a test candidate is killed.
 */

enum kill_mode {
    KILL_CLOSE,  /* ends its session; its znode goes at once */
    KILL_RESIGN, /* deletes its znode, keeps its session */
    KILL_DROP,   /* its process crashes: the connection is lost without a closing request, the session expires
                  */
    KILL_PAUSE,  /* its process stops, as in a long garbage collection: the connection stays, it answers
                    nothing, its session expires; it notices this once resumed */
    KILL_COUNT
};

/* The word in the JSON contract: "close". */
const char *kill_mode_word(enum kill_mode how);

#endif
