/*
 * lock.h - elections that are one znode: who holds it leads.
 */
#ifndef ELECTOP_PROBE_ELECTION_LOCK_H
#define ELECTOP_PROBE_ELECTION_LOCK_H

#include "probe/election/observation.h"

struct update;

bool update_is_lock(const struct update *, const struct znode_stat *);
/* node NULL: only its Stat, from a list. */
void update_lock(const struct update *, const struct znode_stat *, const struct observed_node *);
void update_lock_absent(const struct update *);

#endif
