/*
 * recalled.h - single facts of an election's recorded past, for the run that goes on from it (recall.h).
 */
#ifndef ELECTOP_PROBE_ELECTION_RECALLED_H
#define ELECTOP_PROBE_ELECTION_RECALLED_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/election/update.h"

/* A moment of the recording by this model's clocks: the wall clock is what both runs have in common. */
struct moment recalled_moment(const struct model *, struct moment);
/* Is it one and the same, in both? Either may be NULL: no. */
bool recalled_znode(const struct candidate *, const struct candidate *);
/* The leader is found without its acknowledgement: since when that is known; now,
   where nothing was recorded. */
struct moment recalled_unacknowledged(const struct update *);
/* It was raised just now: since when it is known. about: which of its candidates it is
   about; SIZE_MAX: none. */
void recalled_finding(const struct update *, struct finding *, size_t about);

#endif
