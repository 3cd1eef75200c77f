/*
 * joined_cases.h - several cases of one cluster as one: what another observer saw fills the time in which one did
 * not observe.
 *
 * The result takes the observations of one case at a time, as of one session: in the order of its times, and of
 * ZooKeeper's transactions. Where that case is silent, not connected or over, another one that observes and has seen
 * at least the latest transaction takes its place: with its latest facts, as after a gap and a new connection. The
 * others add only their transactions from logs. Connections and watches from captures are left out.
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
