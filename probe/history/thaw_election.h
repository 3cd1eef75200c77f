/*
 * thaw_election.h - what lies below an election: its candidates, their sessions, its findings, who led.
 */
#ifndef ELECTOP_PROBE_HISTORY_THAW_ELECTION_H
#define ELECTOP_PROBE_HISTORY_THAW_ELECTION_H

#include "probe/history/thawing.h"

/* The item of an election itself. */
void thaw_election(struct thawing *, size_t at, struct cluster *, struct scan *);
/* An item of any other kind below the election. */
void thaw_below(struct thawing *, unsigned kind, size_t at, struct election *, struct scan *);

#endif
