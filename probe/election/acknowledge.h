/*
 * acknowledge.h - whether the leader has acknowledged that it leads.
 */
#ifndef ELECTOP_PROBE_ELECTION_ACKNOWLEDGE_H
#define ELECTOP_PROBE_ELECTION_ACKNOWLEDGE_H

struct update;

/* With all that is known of it now. */
void acknowledge_update(const struct update *);

#endif
