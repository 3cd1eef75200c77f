/*
 * marks.h - marks and registries, as they are read.
 */
#ifndef ELECTOP_PROBE_ELECTION_MARKS_H
#define ELECTOP_PROBE_ELECTION_MARKS_H

#include "probe/election/observation.h"

struct update;

/* False: the observation is no acknowledgement of this election, and no registry's entry. */
bool update_mark(const struct update *, const struct observation *);
/* The servers do not answer reads of its acknowledgement, or of its registry. */
void update_mark_unread(const struct update *);
/* Of the election's own znode, where that is the mark. */
void update_parent_data(const struct update *, const struct observed_node *);

#endif
