/*
 * acknowledgement.h - acknowledgements and registries as they are read, and whether the leader has
 * acknowledged.
 */
#ifndef ELECTOP_PROBE_ELECTION_ACKNOWLEDGEMENT_H
#define ELECTOP_PROBE_ELECTION_ACKNOWLEDGEMENT_H

#include "probe/election/observation.h"

struct update;

/* False: the observation is no acknowledgement of this election, and no registry's entry. */
bool update_ack(const struct update *update, const struct observation *observation);
/* The servers do not answer reads of its acknowledgement, or of its registry. */
void update_ack_unread(const struct update *update);
/* Of the election's own znode, where that is the acknowledgement. */
void update_parent_data(const struct update *update, const struct observed_node *node);

/* ---- whether the leader has acknowledged that it leads ---- */

struct candidate;
struct election;

/* With all that is known of it now. */
void acknowledge_update(const struct update *update);
/* A member was read that does not lead: the acknowledgement may be its own, and then this layout has one. */
void acknowledge_member(const struct update *update, const struct candidate *member);

/* When the leader acknowledged, by its server's clock: it has led at least since then. 0: unknown. us */
int64_t acknowledge_time_us(const struct election *election);

#endif
