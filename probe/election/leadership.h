/*
 * leadership.h - who leads, since when, and until when.
 */
#ifndef ELECTOP_PROBE_ELECTION_LEADERSHIP_H
#define ELECTOP_PROBE_ELECTION_LEADERSHIP_H

#include "probe/election/election.h"

struct fold;

void leadership_found(const struct fold *, struct candidate *);
void leadership_lost(const struct fold *, const struct candidate *, bool seen);
/* Makes it the leader; the event is told by fold_tell_elected(), after everything else of the observation. */
void leadership_won(const struct fold *, const struct candidate *);
void leadership_vacant(const struct fold *);
/* The same one leads still, after the tool was away. */
void leadership_kept(const struct fold *);
/* The leader's znode was read: its identity, its creation. */
void leadership_read(const struct fold *);
/* Two equal numbers found their order during the first look. */
void leadership_corrected(const struct fold *, struct candidate *);
void leadership_free(struct election *);

#endif
