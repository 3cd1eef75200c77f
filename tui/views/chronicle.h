/*
 * chronicle.h - who led an election when, and every change of leader, within a window of time: copied out of
 * a recording, so that it can be drawn again and again.
 *
 * A leader is its identity, where that is known: one that came back is the same. Times are wall-clock
 * microseconds.
 */
#ifndef ELECTOP_TUI_VIEWS_CHRONICLE_H
#define ELECTOP_TUI_VIEWS_CHRONICLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/failover_stats.h"
#include "probe/history/history.h"

/* More than this within one window is not gathered: a shorter one shows it. */
#define CHRONICLE_MOST 100000

/* An index of leaders, or: */
#define LANE_NOBODY UINT32_MAX        /* vacant */
#define LANE_UNKNOWN (UINT32_MAX - 1) /* nobody watched */

struct chronicle_stretch {
    uint32_t lane;
    int64_t from_us, to_us;
    bool goes_on; /* after a gap, the same znode leads as before it: one tenure */
};

struct chronicle_leader {
    char *who;
    bool by_name;    /* no identity is known: it is the candidate's name */
    int64_t last_us; /* it led until then */
};

struct chronicle {
    int64_t from_us, to_us;
    struct chronicle_leader *leaders; /* whoever led last is the first */
    size_t leader_count;
    struct chronicle_stretch *stretches; /* in order */
    size_t stretch_count;
    struct failover *failovers; /* in order; all strings are its own */
    size_t failover_count;
    struct failover_stats stats; /* of all failovers of the window */
    double changes_per_hour; /* of leader, that were seen, by the time watched; negative: too little was */
    size_t tenure_count;     /* what of them lies within the window */
    int64_t tenure_p50_us, tenure_max_us;
    struct history_clock clock; /* the latest time in it that the recorder's clock was set; 0: it never was */
    bool vacant;                /* there is a stretch of nobody */
    bool cut;                   /* there was more than CHRONICLE_MOST of something */
};

/* False and a text in *error (caller frees): why it cannot be read. An empty chronicle is all zero. */
bool chronicle_read(struct chronicle *, struct history *, const char *cluster, const char *election,
                    int64_t from_us, int64_t to_us, char **error);
void chronicle_clear(struct chronicle *);

/* Whose lane that is; LANE_UNKNOWN: nobody's within the window. */
uint32_t chronicle_lane(const struct chronicle *, const char *identity, const char *name);

#endif
