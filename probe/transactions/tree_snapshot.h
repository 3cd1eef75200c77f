/*
 * tree_snapshot.h - one snapshot file of a server: its sessions, and its znodes in the order of the tree.
 *
 * The server goes on changing its tree while it writes it down, so a snapshot is "fuzzy": it holds all
 * transactions up to the zxid in its name, and of the later ones any number. The log puts that right.
 * A snapshot may be larger than memory: nothing is kept here but the znode that is being read.
 */
#ifndef ELECTOP_PROBE_TRANSACTIONS_TREE_SNAPSHOT_H
#define ELECTOP_PROBE_TRANSACTIONS_TREE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/observation.h"

struct tree_snapshot_reader {
    void *context;
    void (*session)(void *context, uint64_t session, int timeout_ms);
    /*
     * In the stat, cversion counts creations, as the server keeps it, and children is 0: the reader counts
     * them as they come. The root's path is "/". Parents come before their children.
     */
    void (*znode)(void *context, const char *path, size_t path_length, const struct znode_stat *,
                  const unsigned char *data, size_t data_length);
};

/*
 * Reads all of it and verifies its checksum. False, and a text in *problem (static): what it passed on until
 * then is of no use. The descriptor stays the caller's, and is read from its beginning.
 */
bool tree_snapshot_read(int fd, const struct tree_snapshot_reader *, const char **problem);

#endif
