/*
 * behaviour.h - the ways in which a test candidate departs from the recipe, and where one stands in line.
 *
 * Every illness of real clients that a diagnosis knows is a row of one table. The candidate's own steps
 * (test_candidate.c) stay the recipe's; they ask the table whom to watch, and whether to leave a step out.
 */
#ifndef ELECTOP_PROBE_INJECT_BEHAVIOUR_H
#define ELECTOP_PROBE_INJECT_BEHAVIOUR_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/zookeeper/session.h"

enum behaviour {
    BEHAVIOUR_RECIPE, /* none of the others: as candidate.h has it */
    BEHAVIOUR_DEAF,   /* never watches, so never wakes */
    BEHAVIOUR_HERD,   /* watches the leader instead of its predecessor */
    BEHAVIOUR_SKIP,   /* watches the one before its predecessor, as after a stale list */
    BEHAVIOUR_SELF,   /* watches its own znode */
    BEHAVIOUR_TWICE,  /* stands twice: the answer to its first create was lost, and it did not look for it */
    BEHAVIOUR_PERSISTENT, /* its znode is not ephemeral, and it is gone as soon as it stands */
    BEHAVIOUR_MUTE,       /* never writes its mark */
    BEHAVIOUR_FORGETFUL,  /* stands down once it has acknowledged, and leaves its mark behind */
    BEHAVIOUR_COUNT
};

/* Whom one watches that does not lead. */
enum whom { WHOM_PREDECESSOR, WHOM_LEADER, WHOM_SKIPPED, WHOM_SELF, WHOM_NOBODY };

/* A row of the table. */
struct manner {
    enum whom watches;
    enum create_mode mode; /* of its znode */
    bool creates_twice;
    bool leaves;     /* ends its session as soon as it stands */
    bool is_mute;    /* writes no mark */
    bool keeps_mark; /* resigns once its mark is written, and does not remove it */
};

const struct manner *behaviour_manner(enum behaviour);

/* Where one stands. The names are those of the list it was read from; NULL: there is none. */
struct place {
    bool stands;
    const char *leader, *skipped,
        *predecessor; /* of those before it: the first, the last but one, the last */
};

/* By number, never by the whole name: what stands before it makes the order of names random. */
struct place place_in_line(const char *mine, char *const *names, size_t count);

/* The name to watch; NULL: nobody. Somebody must stand before it. */
const char *place_watched(const struct place *, enum whom, const char *mine);

#endif
