/*
 * replicas.h - reads every election's own znode from every server by itself, to find servers that hold
 * something else than the others: the observations OBSERVED_REPLICA.
 *
 * A round opens one session to each server alone, marks it as an observer's, has it sync, reads the Stat of
 * each election's own znode (no watch, no data), and closes it. The first round comes soon after the first
 * complete look, then one a minute. Where servers show different things, up to two more follow, some
 * seconds apart: what is changing looks the same, and only the model can tell (probe/election/replicas.h).
 *
 * No session of a round is begun before all of the round before have ended. A server that cannot be reached
 * in time is left out of that round. A cluster of one server, and one whose servers are asked on demand only
 * (`every` off), are not compared.
 */
#ifndef ELECTOP_PROBE_SOURCE_REPLICAS_H
#define ELECTOP_PROBE_SOURCE_REPLICAS_H

#include "probe/source/live.h"

/* NULL: they are not compared (also where memory is short). */
struct replica_rounds *replicas_begin(struct live *);
void replicas_end(struct replica_rounds *);

#endif
