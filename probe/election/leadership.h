/*
 * leadership.h - the leader, and the beginning and end of its leadership.
 */
#ifndef ELECTOP_PROBE_ELECTION_LEADERSHIP_H
#define ELECTOP_PROBE_ELECTION_LEADERSHIP_H

#include "probe/election/election.h"

struct update;

void leadership_found(const struct update *update, struct candidate *leader);
void leadership_lost(const struct update *update, const struct candidate *leader, bool seen);
/* Makes it the leader; update_emit_elected() reports the event after all others of the observation. */
void leadership_won(const struct update *update, const struct candidate *leader);
void leadership_vacant(const struct update *update);
/* The first in line certainly never led: what it seemed to have is taken back, and the loss before it is open again.
 * It stays election->leader. */
void leadership_denied(const struct update *update);
/* Nothing says so any more: it leads by now. */
void leadership_believed(const struct update *update);
/* The same candidate still leads after a gap. */
void leadership_kept(const struct update *update);
/* The leader's znode was read: its identity, its creation. */
void leadership_read(const struct update *update);
/* The change to this leader counts, unless its session led before: once that is known, or will not be. */
void leadership_counted(struct election *election);
/* Two equal numbers were put in order during the first poll. */
void leadership_corrected(const struct update *update, struct candidate *leader);
/* No change is known any more. */
void leadership_clear_change(struct change *change);
void leadership_free(struct election *election);

#endif
