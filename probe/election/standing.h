/*
 * standing.h - one candidate's znode: read, gone, denied; and what its name and data say of it.
 */
#ifndef ELECTOP_PROBE_ELECTION_STANDING_H
#define ELECTOP_PROBE_ELECTION_STANDING_H

#include "probe/election/election.h"

struct fold;

struct candidate *standing_new(const struct fold *, const char *name, uint32_t hash);
/* Fits it? Sets sequence, outside, and what its name says. */
void standing_parse(const struct fold *, struct candidate *);
/* Only its Stat, from elsewhere. */
void standing_stat(const struct fold *, struct candidate *, const struct znode_stat *);
void standing_read(const struct fold *, struct candidate *, const struct observed_node *);
void standing_identify(const struct election *, struct candidate *);
/* The address of its client became known, or another one. */
void client_named(struct candidate *);
void fold_candidate_node(const struct fold *, const char *name, const struct observed_node *);
void fold_candidate_absent(const struct fold *, const char *name);
void fold_candidate_denied(const struct fold *, const char *name);

#endif
