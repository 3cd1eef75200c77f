/*
 * look.h - what a single look amounts to, for every sink that ends after one.
 */
#ifndef ELECTOP_PROBE_SINK_LOOK_H
#define ELECTOP_PROBE_SINK_LOOK_H

#include <stdbool.h>

#include "probe/election/model.h"

/* What is told of an election's state: ELECTION_UNKNOWN for one whose connection has been lost, whatever
   was seen before. */
enum election_state look_state(const struct election *);

/* Its path as its users give it: below the cluster's chroot, which stands in the cluster's hosts. */
const char *look_path(const struct election *);

/* Its candidates have been read; where not, there may be any number of them. */
bool look_has_list(const struct election *);

/* When a candidate's znode was created, by the server's clock; 0: not known. */
int64_t look_created_us(const struct candidate *);

/*
 * The servers answer, and say themselves that they have no quorum: "no quorum: 1 of 3 servers answers", which
 * explains more than how the last attempt to connect ended. NULL: they do not, or we are connected.
 */
#define LOOK_QUORUM_SIZE 96
const char *look_no_quorum(const struct cluster *, char buffer[LOOK_QUORUM_SIZE]);

/* What is wrong with the cluster as a whole: that, or its own problem; NULL: nothing. */
const char *look_problem(const struct cluster *, char buffer[LOOK_QUORUM_SIZE]);

enum look_result {
    LOOK_TAKEN,     /* something answered */
    LOOK_UNREACHED, /* no cluster could be reached */
    LOOK_DENIED,    /* every path that was reached is closed to our credentials */
    LOOK_UNFINISHED /* connected, but no path answered in time */
};
enum look_result look_result(const struct model *);

/* Is everything as it should be (once --strict)? False for an election that is vacant though somebody must
   lead, absent (a lock's own znode may be), denied or unknown, for a finding of severity error or critical
   (but for what only a single look at the watches shows),
   and for a cluster that could not be reached. */
bool look_is_sound(const struct model *);

#endif
