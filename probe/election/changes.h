/*
 * changes.h - how often the leader changed: the one rule of all figures.
 *
 * A change of leader is a loss of the leader that a next one followed, the same client with a new session perhaps,
 * with nothing unobserved between. It belongs to the moment of the loss. A session that creates its candidate again
 * goes on leading. A loss that nobody followed is none, or none yet; a change that was found after a gap is counted
 * apart.
 *
 * A time line shows it at once, failovers when their evidence is complete, and the two may keep different
 * times: the larger number counts.
 */
#ifndef ELECTOP_PROBE_ELECTION_CHANGES_H
#define ELECTOP_PROBE_ELECTION_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/failover.h"

struct change_counts {
    size_t seen;   /* in the time line */
    size_t told;   /* by failovers */
    size_t missed; /* found after a gap */
    size_t open;   /* failovers without a next leader */

    const char *name, *identity; /* of the latest leader with no gap since; name NULL: none. Borrowed */
    uint64_t session;            /* its; 0: not known */
    bool vacant;                 /* since then */
};

/* The next stretch of a time line: led (the texts must outlive the next call; identity may be NULL, session 0),
 * vacant, or not observed. */
void changes_led(struct change_counts *changes, const char *name, const char *identity, uint64_t session);
void changes_vacant(struct change_counts *changes);
void changes_gap(struct change_counts *changes);

bool failover_is_change(const struct failover *failover);
void changes_failover(struct change_counts *changes, const struct failover *failover);

size_t changes_count(const struct change_counts *changes);

#endif
