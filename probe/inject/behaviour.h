/*
 * behaviour.h - the ways in which a test candidate departs from the recipe, and where one stands in line.
 *
 * Every illness of real clients that a diagnosis knows is a row of one table. The candidate's own steps
 * (candidate.c) stay the recipe's; they ask the table whom to watch, and whether to leave a step out.
 */
#ifndef ELECTOP_PROBE_INJECT_BEHAVIOUR_H
#define ELECTOP_PROBE_INJECT_BEHAVIOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/zookeeper/session.h"

enum behaviour {
    BEHAVIOUR_RECIPE,   /* none of the others: as candidate.h has it */
    BEHAVIOUR_DEAF,     /* never watches, so never wakes */
    BEHAVIOUR_HERD,     /* watches the leader instead of its predecessor */
    BEHAVIOUR_CHILDREN, /* watches the directory: everybody wakes whoever comes or goes */
    BEHAVIOUR_ONCE,     /* does not watch again once its watch has fired */
    BEHAVIOUR_SLOW,     /* acknowledges late */
    BEHAVIOUR_SKIP,     /* watches the one before its predecessor, as after a stale list */
    BEHAVIOUR_SELF,     /* watches its own znode */
    BEHAVIOUR_TWICE, /* stands twice: the answer to its first create was lost, and it did not look for it */
    BEHAVIOUR_PERSISTENT, /* its znode is not ephemeral, and it is gone as soon as it stands */
    BEHAVIOUR_MUTE,       /* holds the lead and never acknowledges */
    BEHAVIOUR_FORGETFUL,  /* stands down once it has acknowledged, and leaves its mark behind */
    BEHAVIOUR_COUNT
};

/* Whom one watches that does not lead. */
enum whom { WHOM_PREDECESSOR, WHOM_LEADER, WHOM_CHILDREN, WHOM_SKIPPED, WHOM_SELF, WHOM_NOBODY };

/* A row of the table. */
struct manner {
    const char *word; /* as `inject --behaviour` has it; NULL: only the demo's cast and tests behave so */
    enum whom watches;
    enum create_mode mode; /* of its znode */
    bool creates_twice;
    bool leaves;       /* ends its session as soon as it stands */
    bool watches_once; /* does not set its watch again */
    bool is_slow;      /* waits before it acknowledges */
    bool is_mute;      /* writes no mark */
    bool keeps_mark;   /* resigns once its mark is written, and does not remove it */
};

const struct manner *behaviour_manner(enum behaviour);
/* By its word ("predecessor", "hold"); BEHAVIOUR_COUNT: there is none. */
enum behaviour behaviour_find(const char *word);

/* One of a line. name: of the list that it was read from; NULL: there is none. */
struct stander {
    const char *name;
    int64_t number;
};

/* Where one stands. */
struct place {
    bool stands;
    struct stander self, leader, skipped, predecessor; /* before it: the first, the last but one, the last */
};

/*
 * The place of the one with this number, which no two have. By number, never by the whole name: what stands
 * before the number makes the order of names random.
 */
struct place place_in_line(int64_t mine, char *const *names, size_t count);

/* The one to watch; NULL: nobody, or not a single one. Somebody must stand before it. */
const struct stander *place_watched(const struct place *, enum whom);

#endif
