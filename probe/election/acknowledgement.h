/*
 * acknowledgement.h - reads acknowledgements and registries, and decides whether the leader has acknowledged.
 */
#ifndef ELECTOP_PROBE_ELECTION_ACKNOWLEDGEMENT_H
#define ELECTOP_PROBE_ELECTION_ACKNOWLEDGEMENT_H

#include "probe/election/observation.h"

struct update;

/* Returns false if the observation is neither an acknowledgement of this election nor an entry of its
 * registry. */
bool update_ack(const struct update *update, const struct observation *observation);
/* The servers do not answer reads of its acknowledgement or its registry. */
void update_ack_unread(const struct update *update);
/* Takes the data of the election's own znode, if that is the acknowledgement. */
void update_parent_data(const struct update *update, const struct observed_node *node);

/* ---- whether the leader has acknowledged that it leads ---- */

struct candidate;
struct election;

/* Updates the acknowledgement from all known facts. */
void acknowledge_update(const struct update *update);
/* A member that does not lead was read. If the acknowledgement is its own, this layout has one. */
void acknowledge_member(const struct update *update, const struct candidate *member);

/* Another candidate will lead: forgets the acknowledgement of this one. */
void acknowledge_lost(struct election *election);

/* When the leader acknowledged, by its server's clock, in us: it has led at least since then. 0: unknown. */
int64_t acknowledge_time_us(const struct election *election);

#endif
