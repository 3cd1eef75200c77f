/*
 * summary.h - the summary of a single snapshot, for every sink that ends after one.
 */
#ifndef ELECTOP_PROBE_ELECTION_SUMMARY_H
#define ELECTOP_PROBE_ELECTION_SUMMARY_H

#include <stdbool.h>

#include "probe/election/model.h"

/* The election's state to show: ELECTION_UNKNOWN if the connection is lost, whatever was seen before. */
enum election_state summary_state(const struct election *election);

/* Its path as users write it: below the cluster's chroot, which is part of the cluster's hosts. */
const char *summary_path(const struct election *election);

/* Its candidates have been read; if not, their number is unknown. */
bool summary_has_list(const struct election *election);

/* When a candidate's znode was created, by the observer's clock; 0: unknown. */
int64_t summary_created_us(const struct candidate *candidate);

/*
 * The servers answer and report that they have no quorum: "no quorum: 1 of 3 servers answers". This explains
 * more than the end of the last attempt to connect. NULL: they report no such thing, or we are connected.
 */
#define SUMMARY_QUORUM_SIZE 96
const char *summary_no_quorum(const struct cluster *cluster, char buffer[SUMMARY_QUORUM_SIZE]);

/* The problem of the cluster as a whole: no quorum, or its own problem; NULL: none. */
const char *summary_problem(const struct cluster *cluster, char buffer[SUMMARY_QUORUM_SIZE]);

/* It needs a leader: if its path is configured, unless the configuration calls it a lock; otherwise by its
 * kind, even if that is only assumed. */
bool summary_must_lead(const struct election *election);

enum summary_result {
    SUMMARY_TAKEN,     /* something answered */
    SUMMARY_UNREACHED, /* no cluster is reachable */
    SUMMARY_DENIED,    /* every reachable path denies access to our credentials */
    SUMMARY_UNFINISHED /* connected, but no path answered in time, or the chroot does not exist */
};
enum summary_result summary_result(const struct model *model);

/* Whether everything is in order (once --strict). False for an election that is vacant although there must be
 * a leader, absent (except a lock's own znode), denied or unknown; for a finding of severity error or
 * critical (except one that rests on a single poll of the watches); and for an unreachable cluster. */
bool summary_is_sound(const struct model *model);

#endif
