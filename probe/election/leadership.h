/*
 * leadership.h - who leads, since when, and until when.
 */
#ifndef ELECTOP_PROBE_ELECTION_LEADERSHIP_H
#define ELECTOP_PROBE_ELECTION_LEADERSHIP_H

#include "probe/election/election.h"

struct update;

void leadership_found(const struct update *, struct candidate *);
void leadership_lost(const struct update *, const struct candidate *, bool seen);
/* Makes it the leader; update_tell_elected() reports the event, after everything else of the observation.
 */
void leadership_won(const struct update *, const struct candidate *);
void leadership_vacant(const struct update *);
/* The same one leads still, after the tool was away. */
void leadership_kept(const struct update *);
/* The leader's znode was read: its identity, its creation. */
void leadership_read(const struct update *);
/* Two equal numbers found their order during the first look. */
void leadership_corrected(const struct update *, struct candidate *);
void leadership_free(struct election *);

#endif
