/*
 * joined_cases.h - several cases of one cluster as one: what another observer saw fills the time in which one did
 * not observe.
 *
 * One of them tells at a time, as one session would: in the order of its times, and of ZooKeeper's transactions.
 * Where it is silent, not connected or over, another one that observes and has seen at least the latest
 * transaction told takes its place: with its latest facts, as after a gap and a new connection. Of the others only
 * what they read in transaction logs is told; what captures show of connections and watches is left out.
 * That they are of one cluster is proved by a directory that both have seen: the same transaction created it.
 *
 * The clocks on the wall are assumed to be equal; where one is behind the other, its times are moved.
 */
#ifndef ELECTOP_PROBE_HISTORY_JOINED_CASES_H
#define ELECTOP_PROBE_HISTORY_JOINED_CASES_H

#include "probe/case/case_file.h"

/* Reads them from their beginnings; names are for *error. The result does not refer to them. NULL and a text in
 * *error (caller frees): they are not of one cluster, or a recipe is bad. */
struct case_reader *joined_cases(struct case_reader *const *cases, const char *const *names, size_t count,
                                 char **error);

#endif
