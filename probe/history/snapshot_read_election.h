/*
 * snapshot_read_election.h - the items below an election: its candidates, their sessions, its findings, its
 * leaders.
 */
#ifndef ELECTOP_PROBE_HISTORY_SNAPSHOT_READ_ELECTION_H
#define ELECTOP_PROBE_HISTORY_SNAPSHOT_READ_ELECTION_H

#include "probe/history/snapshot_read_state.h"

/* The item of an election itself. */
void snapshot_read_election(struct snapshot_reader *, size_t at, struct cluster *, struct scan *);
/* An item of any other kind below the election. */
void snapshot_read_below(struct snapshot_reader *, unsigned kind, size_t at, struct election *,
                         struct scan *);

#endif
