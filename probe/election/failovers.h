/*
 * failovers.h - the latest failovers of one election: the inside of what model.h reads of them.
 */
#ifndef ELECTOP_PROBE_ELECTION_FAILOVERS_H
#define ELECTOP_PROBE_ELECTION_FAILOVERS_H

#include "probe/election/election.h"
#include "probe/election/failover.h"

/* The latest reported ones, i = 0 is the oldest; NULL: no more. */
const struct failover *election_failover_at(const struct election *, size_t i);
/* The last of them, where it is of the latest change of leader; else NULL. */
const struct failover *election_last_failover(const struct election *);
/* Keeps a copy, in the place of the oldest where there are FAILOVERS_KEPT. False: out of memory. */
bool election_keep_failover(struct election *, const struct failover *);
void failovers_free(struct election *);

#endif
