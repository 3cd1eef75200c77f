/*
 * figures.h - the figures of an election, for `electop check` and the metrics.
 *
 * Pure. An unknown figure is NAN, never 0.
 */
#ifndef ELECTOP_PROBE_METRICS_FIGURES_H
#define ELECTOP_PROBE_METRICS_FIGURES_H

#include "probe/election/election.h"
#include "probe/election/failover.h"

enum figure {
    FIGURE_CANDIDATES,
    FIGURE_VACANCY,       /* seconds without a leader until now; 0: there is a leader */
    FIGURE_TENURE,        /* seconds that the leader has led, at most */
    FIGURE_NEXT_FAILOVER, /* 1: a successor exists and will be notified; 0: not */
    FIGURE_FINDINGS,      /* certain findings of every severity */
    FIGURE_CRITICAL,
    FIGURE_ERROR,
    FIGURE_WARNING,
    FIGURE_INFO,
    FIGURE_SUSPECTED, /* findings that are not certain */
    FIGURE_CHANGES,   /* changes of leader within the window; from a recording only, like those below */
    FIGURE_FAILOVER_P50,
    FIGURE_FAILOVER_P99,
    FIGURE_FAILOVER_MAX, /* seconds, at most */
    FIGURE_COUNT
};

struct figure_kind {
    const char *word; /* "failover.p99" */
    const char *unit; /* of performance data: "s", or "" */
    bool recorded;    /* known only from a recording */
    const char *help;
};
const struct figure_kind *figure_kind(enum figure figure);
/* By word; FIGURE_COUNT: there is none. */
enum figure figure_of(const char *word);

/* Nothing has to follow its leader: no client waits for a lock, each server owns one election, or others try now
 * and then. */
bool figures_needs_nobody(const struct election *election);
/* Its first in line may at least lead. */
bool figures_is_led(const struct election *election);
/* Fills in all figures except the recorded ones, which are NAN. */
void figures_of_election(const struct election *election, struct moment now, double figures[FIGURE_COUNT]);
/* Fills in the recorded ones: the number of changes of leader, and their durations. */
void figures_of_recording(size_t changes, const struct failover_figures *failovers,
                          double figures[FIGURE_COUNT]);

#endif
