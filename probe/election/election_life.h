/*
 * election_life.h - an election's beginning, its configuration, and its end.
 */
#ifndef ELECTOP_PROBE_ELECTION_ELECTION_LIFE_H
#define ELECTOP_PROBE_ELECTION_ELECTION_LIFE_H

#include "probe/election/election.h"

struct cluster;

struct election *election_new(struct cluster *cluster, const char *path, uint32_t hash);
void election_free(struct election *election);
/* Takes a recognised or configured recipe, with its acknowledgement. */
void election_take_recipe(struct election *election, const struct recipe *recipe, enum recognised recognised);
/* Applies new settings: configured recipe, acknowledgement, registry. */
void election_configure(struct election *election, const struct recipe_book *book,
                        const struct observed_election *subject);

#endif
