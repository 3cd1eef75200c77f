/*
 * figures.h - an election in figures, for `electop check` and the metrics.
 *
 * Pure. A figure that cannot be known is NAN, never 0.
 */
#ifndef ELECTOP_PROBE_METRICS_FIGURES_H
#define ELECTOP_PROBE_METRICS_FIGURES_H

#include "probe/election/election.h"
#include "probe/election/failover.h"

enum figure {
    FIGURE_CANDIDATES,
    FIGURE_VACANCY,       /* seconds without a leader until now; 0: somebody leads */
    FIGURE_TENURE,        /* seconds that the leader has led, at the longest */
    FIGURE_NEXT_FAILOVER, /* 1: a successor exists and is notified; 0: not */
    FIGURE_FINDINGS,      /* certain ones of every severity */
    FIGURE_CRITICAL,
    FIGURE_ERROR,
    FIGURE_WARNING,
    FIGURE_INFO,
    FIGURE_SUSPECTED, /* findings that are not certain */
    FIGURE_CHANGES,   /* of leader, within the window; of a recording only, as those below */
    FIGURE_FAILOVER_P50,
    FIGURE_FAILOVER_P99,
    FIGURE_FAILOVER_MAX, /* seconds, at the longest */
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

/* All but the recorded ones, which are NAN. */
void figures_of_election(const struct election *election, struct moment now, double figures[FIGURE_COUNT]);
/* The recorded ones: so many changes of leader, and how long they took. */
void figures_of_recording(size_t changes, const struct failover_figures *failovers,
                          double figures[FIGURE_COUNT]);

#endif
