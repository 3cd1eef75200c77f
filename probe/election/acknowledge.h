/*
 * acknowledge.h - whether the leader has acknowledged that it leads.
 */
#ifndef ELECTOP_PROBE_ELECTION_ACKNOWLEDGE_H
#define ELECTOP_PROBE_ELECTION_ACKNOWLEDGE_H

struct candidate;
struct update;

/* With all that is known of it now. */
void acknowledge_update(const struct update *);
/* A member was read that does not lead: the acknowledgement may be its own, and then this layout has one. */
void acknowledge_member(const struct update *, const struct candidate *member);

#endif
