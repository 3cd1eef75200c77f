/*
 * candidates.h - the children of one election: found by name, kept in election order, queued for reading.
 *
 * The array election->candidates is ordered by sequence number. Equal numbers are ordered by czxid once all
 * are known, by name until then. A child that does not fit the recipe's pattern is an outsider: found by
 * name, but not in this order.
 *
 * The table owns its children. A caller that takes one out owns it and frees it with candidate_free().
 */
#ifndef ELECTOP_PROBE_ELECTION_CANDIDATES_H
#define ELECTOP_PROBE_ELECTION_CANDIDATES_H

#include "probe/election/election.h"

/* Freeing a candidate also removes it from its client. */
struct candidate *candidate_new(const char *name, uint32_t hash);
void candidate_free(struct candidate *candidate);

/* Reserves room for this many more children. */
void candidates_reserve(struct election *election, size_t more);

/* Of a child's name: it shares a bucket with few, whatever names strangers choose. */
uint32_t candidates_hash(const struct election *election, const char *name);
struct candidate *candidates_find(const struct election *election, const char *name, uint32_t hash);

/* Makes a new child findable by name. Needs candidates_reserve(); candidates_add() must follow. */
void candidates_index(struct election *election, struct candidate *candidate);

/* Inserts count indexed children (parsed: sequence and outside are set) in election order; reorders the
 * array. Needs candidates_reserve(). */
void candidates_add(struct election *election, struct candidate **children, size_t count);

/* Removes one from the table. */
void candidates_take(struct election *election, struct candidate *candidate);

/* Removes all whose round is not the election's list_round. They are chained by unread_next, candidates in
 * election order first (round then holds their position from 1), outsiders (round 0) last. */
struct candidate *candidates_take_missing(struct election *election);

/* An outsider fits after all (the recipe became known). */
void candidates_admit(struct election *election, struct candidate *candidate);

/* Solr orders those of one number by their whole names: a node may take the number of another on purpose (joinAtHead).
 * source: solr: LeaderElector.sortSeqs() */
bool candidates_tie_by_name(const struct election *election);

/* Its znode has been read: if other candidates share its number, its czxid may move it. */
void candidates_rank(struct election *election, struct candidate *candidate);

/* From 0. */
size_t candidates_position(const struct election *election, const struct candidate *candidate);

void candidates_queue(struct election *election, struct candidate *candidate);
/* Asks for a candidate to be read again, unless that was asked since then, or within READ_AGAIN_US: a diagnosis
 * that asks each time it runs must not make the source read in a loop. */
#define READ_AGAIN_US INT64_C(1000000)
void candidates_read_again(struct election *election, struct candidate *candidate, int64_t since_us,
                           int64_t now_us);
void candidates_unqueue(struct election *election, struct candidate *candidate);

/* The outsiders have changed: updates which of them are shown as foreign. */
void candidates_list_foreign(struct election *election);
/* Frees all. */
void candidates_free(struct election *election);

#endif
