/*
 * candidate_node.h - one candidate's znode: read, gone, denied; and what its name and data say of it.
 */
#ifndef ELECTOP_PROBE_ELECTION_CANDIDATE_NODE_H
#define ELECTOP_PROBE_ELECTION_CANDIDATE_NODE_H

#include "probe/election/election.h"

struct update;

struct candidate *candidate_node_new(const struct update *, const char *name, uint32_t hash);
/* Fits it? Sets sequence, outside, and what its name says. */
void candidate_node_parse(const struct update *, struct candidate *);
/* Only its Stat, from elsewhere. */
void candidate_node_stat(const struct update *, struct candidate *, const struct znode_stat *);
void candidate_node_read(const struct update *, struct candidate *, const struct observed_node *);
void candidate_node_identify(const struct election *, struct candidate *);
/* The address of its client became known, or another one. */
void client_named(struct candidate *);
void update_candidate_node(const struct update *, const char *name, const struct observed_node *);
void update_candidate_absent(const struct update *, const char *name);
void update_candidate_denied(const struct update *, const char *name);

#endif
