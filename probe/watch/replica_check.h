/*
 * replica_check.h - reads every election's own znode from every server separately, to find servers with
 * different data: the observations OBSERVED_REPLICA.
 *
 * A round opens one session to each server alone, marks it as an observer's, has it sync, reads the Stat of
 * each election's own znode (no watch, no data), and closes it. The first round comes soon after the first
 * complete snapshot, then one a minute. Where servers show different data, up to two more follow, some
 * seconds apart: a change in progress looks the same, and only the model can decide
 * (probe/election/replicas.h).
 *
 * A round begins after all sessions of the previous one have ended. A server that cannot be reached
 * in time is left out of that round. A cluster of one server, and one whose servers are polled on demand only
 * (`every` off), are not compared.
 */
#ifndef ELECTOP_PROBE_WATCH_REPLICA_CHECK_H
#define ELECTOP_PROBE_WATCH_REPLICA_CHECK_H

#include "probe/watch/live_cluster.h"

/* NULL: they are not compared. */
struct replica_rounds *replicas_begin(struct live_cluster *live);
void replicas_end(struct replica_rounds *replica_rounds);

#endif
