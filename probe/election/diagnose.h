/*
 * diagnose.h - finds the problems of elections, from all known facts.
 */
#ifndef ELECTOP_PROBE_ELECTION_DIAGNOSE_H
#define ELECTOP_PROBE_ELECTION_DIAGNOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/election/moment.h"

/* So much a server's clock may differ from the observer's. */
#define CLOCKS_APART_US INT64_C(5000000)

/* ---- the diagnoses of one election, in diagnose_*.c: each raises and keeps its findings (findings.h) ----
 */

struct diagnosis;
struct znode_stat;

/* From the watch chain, which must be up to date (chain_update()). */
void diagnose_watches(struct diagnosis *diagnosis);
/* From owners and their connections. */
void diagnose_sessions(struct diagnosis *diagnosis);
/* A client that keeps a TTL znode, in a lock's place or as a candidate, writes to it so soon. */
#define LEASE_US INT64_C(35000000)
/* This znode is still written to, as a TTL znode is that its client keeps: the latest write was shortly before seen_us,
 * by its usual interval. seen_us: of the wall clock. */
bool diagnose_sessions_keeps(struct diagnosis *diagnosis, const struct znode_stat *stat, int64_t seen_us);
/* Duplicates: of one session, or of one identity. */
void diagnose_duplicates(struct diagnosis *diagnosis);
/* From names, numbers and acknowledgements. */
void diagnose_names(struct diagnosis *diagnosis);

struct model;
struct cluster;

/* Diagnoses elections that have changed, and those due by time. Large ones are not diagnosed at every change;
 * all: includes them. */
void diagnose_cluster(struct model *model, struct cluster *cluster, struct moment at, bool all);

#endif
