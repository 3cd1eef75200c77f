/*
 * leadership_history.h - the leaders of an election, and every change of leader, within a window of time.
 * Copied from a recording, so that it can be drawn repeatedly.
 *
 * A leader is identified by its identity, if known: one that returned is the same. Times are wall-clock
 * microseconds.
 */
#ifndef ELECTOP_TUI_VIEWS_LEADERSHIP_HISTORY_H
#define ELECTOP_TUI_VIEWS_LEADERSHIP_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/changes.h"
#include "probe/election/failover.h"
#include "probe/history/history.h"

/* The limit of entries in one window; a shorter window shows more of them. */
#define LEADERSHIP_HISTORY_MOST 100000

/* An index of leaders, or: */
#define LANE_NO_LEADER UINT32_MAX     /* vacant */
#define LANE_UNKNOWN (UINT32_MAX - 1) /* a gap */

struct leadership_history_stretch {
    uint32_t lane;
    int64_t from_us, to_us;
    bool goes_on; /* after a gap, the same znode leads as before it: one tenure */
};

struct leadership_history_leader {
    char *who;
    bool by_name;    /* the identity is unknown: this is the candidate's name */
    int64_t last_us; /* it led until then */
};

/* One who took over, and how long that usually took: until it reacted, if packets show all, else until it
 * acknowledged. */
struct leadership_history_successor {
    const char *identity, *name; /* of one of its failovers; identity may be NULL */
    struct span p50;             /* SPAN_UNKNOWN: of no failover */
};

struct leadership_history {
    int64_t from_us, to_us;
    struct leadership_history_leader *leaders; /* the latest leader is the first */
    size_t leader_count;
    struct leadership_history_stretch *stretches; /* in order */
    size_t stretch_count;
    struct failover *failovers; /* in order; owns all strings */
    size_t failover_count;
    struct change_counts changes;                    /* of leader; without its texts */
    struct failover_stats stats;                     /* of all failovers of the window */
    struct leadership_history_successor *successors; /* the slowest first */
    size_t successor_count;     /* 0: of none it is known, or there are too many failovers */
    bool reacted;               /* packets show it */
    double changes_per_hour;    /* observed changes of leader per observed hour; negative: too little was
                                    observed */
    size_t tenure_count;        /* those whose beginning and end are in the window */
    int64_t tenure_p50_us;      /* of them */
    int64_t tenure_max_us;      /* of all */
    bool tenure_max_whole;      /* false: at least that long */
    struct history_clock clock; /* the latest time in it that the recorder's clock was set; 0: it never was */
    int64_t vacant_us;          /* without a leader, within the window */
    bool vacant;                /* there is a stretch without a leader */
    bool gaps;                  /* there is one without an observer */
    bool cut;                   /* there was more than LEADERSHIP_HISTORY_MOST of something */
};

/* False and a text in *error (the caller frees it): why it cannot be read. An empty history is all zero. */
bool leadership_history_read(struct leadership_history *leadership, struct history *history,
                             const char *cluster, const char *election, int64_t from_us, int64_t to_us,
                             char **error);
/* What this run saw itself takes the place of what another recorded of the same failovers, so that all screens have
 * the same figures. */
void leadership_history_prefer(struct leadership_history *leadership, const struct election *election);
void leadership_history_clear(struct leadership_history *leadership);

/* The lane of this leader; LANE_UNKNOWN: it has none in the window. */
uint32_t leadership_history_lane(const struct leadership_history *leadership, const char *identity,
                                 const char *name);

#endif
