/*
 * marks.h - marks and registries, as they are read.
 */
#ifndef ELECTOP_PROBE_ELECTION_MARKS_H
#define ELECTOP_PROBE_ELECTION_MARKS_H

#include "probe/election/observation.h"

struct fold;

/* False: what was observed is no mark of this election, and no registry's entry. */
bool fold_mark(const struct fold *, const struct observation *);
/* Of the election's own znode, where that is the mark. */
void fold_parent_data(const struct fold *, const struct observed_node *);

#endif
