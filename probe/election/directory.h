/*
 * directory.h - lists of children: who joined, who left, what went unseen; and the directory's own znode.
 */
#ifndef ELECTOP_PROBE_ELECTION_DIRECTORY_H
#define ELECTOP_PROBE_ELECTION_DIRECTORY_H

#include "probe/election/observation.h"

struct update;

/* Its complete list of children was read. */
void update_children(const struct update *update, const struct observed_children *list);
/* The election's own znode was seen. */
void update_own_node(const struct update *update, const struct znode_stat *stat,
                     const struct observed_node *node);
void update_path_absent(const struct update *update);
void update_path_denied(const struct update *update);
/* The servers do not answer reads of it: it keeps its state, which may be outdated. */
void update_path_unread(const struct update *update);

#endif
