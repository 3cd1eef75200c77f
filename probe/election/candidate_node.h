/*
 * candidate_node.h - one candidate's znode: read, gone or denied; and the meaning of its name and data.
 */
#ifndef ELECTOP_PROBE_ELECTION_CANDIDATE_NODE_H
#define ELECTOP_PROBE_ELECTION_CANDIDATE_NODE_H

#include "probe/election/election.h"

struct update;

struct candidate *candidate_node_new(const struct update *update, const char *name, uint32_t hash);
/* Parses its name: whether it fits the recipe, its sequence number, and further parts of the name. */
void candidate_node_parse(const struct update *update, struct candidate *candidate);
/* Takes only its Stat, from another source. */
void candidate_node_stat(const struct update *update, struct candidate *candidate,
                         const struct znode_stat *stat);
void candidate_node_read(const struct update *update, struct candidate *candidate,
                         const struct observed_node *node);
/* What was read at this moment, before the list that names it, is taken over. */
void candidate_node_read_ahead(const struct update *update);
void candidate_node_identify(const struct update *update, struct candidate *candidate);
/* Some have left: one of them may have written the word that differed. */
void candidate_node_left(const struct update *update);
/* Its session wrote the acknowledgement, which identifies it. */
bool candidate_acknowledges(const struct election *election, const struct candidate *candidate);
/* The address of its client became known or has changed. */
void client_named(struct candidate *candidate);
void update_candidate_node(const struct update *update, const char *name, const struct observed_node *node);
void update_candidate_absent(const struct update *update, const char *name);
void update_candidate_denied(const struct update *update, const char *name);

#endif
