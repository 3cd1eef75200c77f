/*
 * directory.h - lists of children: who joined, who left, what went unseen; and the directory's own znode.
 */
#ifndef ELECTOP_PROBE_ELECTION_DIRECTORY_H
#define ELECTOP_PROBE_ELECTION_DIRECTORY_H

#include "probe/election/observation.h"

struct fold;

/* Its complete list of children was read. */
void fold_children(const struct fold *, const struct observed_children *);
/* The election's own znode was seen. */
void fold_own_node(const struct fold *, const struct znode_stat *, const struct observed_node *);
void fold_path_absent(const struct fold *);
void fold_path_denied(const struct fold *);
/* The servers do not answer what is asked of it: it stays as it was, and may be otherwise by now. */
void fold_path_unread(const struct fold *);

#endif
