/*
 * replica_check.h - reads every election's own znode from each server, to find servers with different data.
 * Reports OBSERVED_REPLICA.
 *
 * A round opens one session to each server, marks it as an observer's, syncs, reads the Stat of each
 * election's own znode (no watch, no data), and closes the session. The first round comes soon after the
 * first complete snapshot, then one a minute. If servers show different data, up to two more rounds follow, a
 * second and some seconds later: a change in progress looks the same, and only the model can decide
 * (probe/election/replicas.h).
 *
 * A round begins after all sessions of the previous one have ended. A server that cannot be reached in time
 * is left out of the round. There is no comparison for a cluster of one server, nor if servers are polled
 * only on demand (`every` off).
 */
#ifndef ELECTOP_PROBE_WATCH_REPLICA_CHECK_H
#define ELECTOP_PROBE_WATCH_REPLICA_CHECK_H

#include "probe/watch/live_cluster.h"

/* Returns NULL if the servers are not compared. */
struct replica_check *replica_check_begin(struct live_cluster *live);
void replica_check_end(struct replica_check *replica_check);

/*
 * For one snapshot, of which everything else is complete. Begins the first round if it has not begun. Returns
 * when the comparison may say more, in ms of the loop's clock: 0 while a round is under way, UINT64_MAX if it
 * agrees or does not compare.
 */
uint64_t replica_check_due_ms(struct replica_check *replica_check);

#endif
