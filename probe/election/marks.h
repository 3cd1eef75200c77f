/*
 * marks.h - marks and registries, as they are read.
 */
#ifndef ELECTOP_PROBE_ELECTION_MARKS_H
#define ELECTOP_PROBE_ELECTION_MARKS_H

#include "probe/election/observation.h"

struct fold;

/* False: what was observed is no mark of this election, and no registry's entry. */
bool fold_mark(const struct fold *, const struct observation *);
/* The servers do not answer what is asked of its mark, or of its registry. */
void fold_mark_unread(const struct fold *);
/* Of the election's own znode, where that is the mark. */
void fold_parent_data(const struct fold *, const struct observed_node *);

#endif
