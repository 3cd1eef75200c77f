/*
 * leadership.h - who leads, since when, and until when.
 */
#ifndef ELECTOP_PROBE_ELECTION_LEADERSHIP_H
#define ELECTOP_PROBE_ELECTION_LEADERSHIP_H

#include "probe/election/election.h"

struct update;

void leadership_found(const struct update *update, struct candidate *leader);
void leadership_lost(const struct update *update, const struct candidate *leader, bool seen);
/* Makes it the leader; update_emit_elected() reports the event, after everything else of the observation.
 */
void leadership_won(const struct update *update, const struct candidate *leader);
void leadership_vacant(const struct update *update);
/* The same one leads still, after the tool was away. */
void leadership_kept(const struct update *update);
/* The leader's znode was read: its identity, its creation. */
void leadership_read(const struct update *update);
/* Two equal numbers found their order during the first look. */
void leadership_corrected(const struct update *update, struct candidate *leader);
void leadership_free(struct election *election);

#endif
