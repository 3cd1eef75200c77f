/*
 * overview_order.h - the elections that the overview shows, their order, and their totals.
 *
 * Built again when the model has changed, and every second if time alone can create a problem (an election in
 * progress, a leader that does not acknowledge), but not at every draw. The pointers are valid until the
 * model changes, so a view asks again at each call.
 */
#ifndef ELECTOP_TUI_VIEWS_OVERVIEW_ORDER_H
#define ELECTOP_TUI_VIEWS_OVERVIEW_ORDER_H

#include "tui/words/finding_lines.h"
#include "tui/views/view.h"

enum overview_sort {
    SORT_WORST,
    SORT_NAME,
    SORT_LEADER,
    SORT_CANDIDATES,
    SORT_SINCE,
    SORT_CHANGED,
    SORT_NEXT,
    SORT_FINDING,
    SORT_CHANGES,
    SORT_COUNT
};
const char *overview_sort_word(enum overview_sort sort, bool reverse);

struct overview_totals {
    size_t elections, states[BADGE_STATES], candidates; /* each election has one state */
    /* Of elections with a leader: the next failover. lock: without an order, so there is no next holder. */
    size_t next_works, next_stops, next_unknown, next_alone, next_lock;
    struct finding_counts findings;
    size_t servers, showing; /* of all clusters; those of them with known watches */
    uint64_t unseen;         /* joined and left together */
    int64_t known_us;        /* how long the longest known leadership has been known */
};

/* A line: an election, or the heading of a group of elections whose paths begin alike. */
struct overview_row {
    const struct election *election; /* NULL: a heading */
    const char *name;                /* the election's, or of a heading the name of the first below it */
    size_t from, length;             /* the part of the name to be shown; the rest is in a heading above */
    size_t index;                    /* by configuration or discovery: decides between equal ones */
    int rank;
    size_t changes;     /* of the leader in the window, at least, where sorted by them */
    int64_t changes_us; /* there are more: these are of so much time */
    bool in_group;      /* below a heading */
};

struct overview_order {
    enum overview_sort sort;
    bool reverse;
    char filter[128]; /* as in tui/words/election_filter.h */
    bool problems;    /* only elections with a problem */
    unsigned window;  /* of the strips, in which changes count */

    struct overview_row *rows; /* those that pass the filter, and headings */
    size_t count, room;
    size_t matches;                /* of count, those that are elections */
    char prefix[256];              /* the common directory of all, shown once; "": none */
    struct overview_totals totals; /* of all */

    /* Its inputs. */
    const struct model *model;
    uint64_t generation;
    int64_t made_us;
    bool dirty;       /* sort or filter have changed */
    bool ages;        /* time alone may change it */
    uint64_t version; /* increases with each rebuild: the rows may have moved */
};

/* Brings it up to date. */
void overview_order_make(struct overview_order *order, const struct scene *scene);

/* NULL: a heading, or no line. */
const struct election *overview_order_at(const struct overview_order *order, size_t i);
/* NULL: no line. */
const struct overview_row *overview_order_row(const struct overview_order *order, size_t i);

/* The line of cluster and path, or count if there is none. */
size_t overview_order_find(const struct overview_order *order, const char *key);

/* The key of an election for a selection: cluster and path. */
void overview_key(const struct election *election, char *buffer, size_t size);

void overview_order_release(struct overview_order *order);

#endif
