/*
 * lock.h - elections that are one znode: who holds it leads.
 */
#ifndef ELECTOP_PROBE_ELECTION_LOCK_H
#define ELECTOP_PROBE_ELECTION_LOCK_H

#include "probe/election/observation.h"

struct fold;

bool fold_is_lock(const struct fold *, const struct znode_stat *);
/* node NULL: only its Stat, from a list. */
void fold_lock(const struct fold *, const struct znode_stat *, const struct observed_node *);
void fold_lock_absent(const struct fold *);

#endif
