/*
 * election_summary.h - what a single look amounts to, for every sink that ends after one.
 */
#ifndef ELECTOP_PROBE_JSON_ELECTION_SUMMARY_H
#define ELECTOP_PROBE_JSON_ELECTION_SUMMARY_H

#include <stdbool.h>

#include "probe/election/model.h"

/* The election's state to show: ELECTION_UNKNOWN for one whose connection has been lost, whatever
   was seen before. */
enum election_state summary_state(const struct election *election);

/* Its path as its users give it: below the cluster's chroot, which is part of the cluster's hosts. */
const char *summary_path(const struct election *election);

/* Its candidates have been read; where not, there may be any number of them. */
bool summary_has_list(const struct election *election);

/* When a candidate's znode was created, by the server's clock; 0: not known. */
int64_t summary_created_us(const struct candidate *candidate);

/*
 * The servers answer, and say themselves that they have no quorum: "no quorum: 1 of 3 servers answers", which
 * explains more than how the last attempt to connect ended. NULL: they do not, or we are connected.
 */
#define SUMMARY_QUORUM_SIZE 96
const char *summary_no_quorum(const struct cluster *cluster, char buffer[SUMMARY_QUORUM_SIZE]);

/* The problem of the cluster as a whole: no quorum, or its own problem; NULL: none. */
const char *summary_problem(const struct cluster *cluster, char buffer[SUMMARY_QUORUM_SIZE]);

enum summary_result {
    SUMMARY_TAKEN,     /* something answered */
    SUMMARY_UNREACHED, /* no cluster could be reached */
    SUMMARY_DENIED,    /* every path that was reached is closed to our credentials */
    SUMMARY_UNFINISHED /* connected, but no path answered in time */
};
enum summary_result summary_result(const struct model *model);

/* Is everything as it should be (once --strict)? False for an election that is vacant though there must be a
   leader, absent (a lock's own znode may be), denied or unknown, for a finding of severity error or critical
   (except one that rests on a single look at the watches),
   and for a cluster that could not be reached. */
bool summary_is_sound(const struct model *model);

#endif
