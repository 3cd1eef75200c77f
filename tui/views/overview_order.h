/*
 * overview_order.h - which elections the overview shows, in which order, and what they come to together.
 *
 * Made anew when the model has changed, and after a second where time alone makes trouble of something (an
 * election that lasts, a leader that does not acknowledge), not at every draw. The pointers hold until the
 * model changes, so a view asks again at each call.
 */
#ifndef ELECTOP_TUI_VIEWS_OVERVIEW_ORDER_H
#define ELECTOP_TUI_VIEWS_OVERVIEW_ORDER_H

#include "tui/views/finding_lines.h"
#include "tui/views/view.h"

enum overview_sort {
    SORT_WORST,
    SORT_NAME,
    SORT_LEADER,
    SORT_CANDIDATES,
    SORT_SINCE,
    SORT_CHANGED,
    SORT_COUNT
};
const char *overview_sort_word(enum overview_sort, bool reverse);

struct overview_totals {
    size_t elections, led, vacant, electing, free, absent, vanished, denied, unknown, stale, unacknowledged;
    size_t candidates;
    size_t next_works, next_stops, next_unknown, next_alone; /* of those led: the next failover */
    struct finding_counts findings;
    size_t servers, showing; /* of all clusters; of them, those whose watches are known */
    uint64_t unseen;         /* joined and left together */
    int64_t known_us;        /* for how long the longest known leadership is known */
};

struct overview_row;

struct overview_order {
    enum overview_sort sort;
    bool reverse;
    char filter[128];

    struct overview_row *rows; /* those that pass the filter */
    size_t count, room;
    struct overview_totals totals; /* of all */

    /* What it was made of. */
    const struct model *model;
    uint64_t generation;
    int64_t made_us;
    bool dirty;       /* sort or filter have changed */
    bool ages;        /* time alone may change it */
    uint64_t version; /* goes up with every making: the rows may stand elsewhere */
};

/* Brings it up to date. */
void overview_order_make(struct overview_order *, const struct scene *);

const struct election *overview_order_at(const struct overview_order *, size_t i);

/* The line of cluster and path, or count where there is none. */
size_t overview_order_find(const struct overview_order *, const char *key);

/* What a selection keeps of an election: cluster and path. */
void overview_key(const struct election *, char *buffer, size_t size);

void overview_order_release(struct overview_order *);

#endif
