/*
 * delete_tree.h - deletes a znode and its descendants, through the guard, if they are known to be this
 * program's (guard.h).
 *
 * Foreign znodes stay, and so do their parents. The Stat and data of each znode are read first; it is deleted
 * in that version, so that a znode that is written meanwhile stays.
 */
#ifndef ELECTOP_PROBE_INJECT_DELETE_TREE_H
#define ELECTOP_PROBE_INJECT_DELETE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/candidate/guard.h"
#include "probe/zookeeper/session.h"

/* gone: false where something stays. kept: the first that is not ours, valid during the call; NULL: all that
 * was found is (and where something stays, the connection was lost, or we may not delete it). */
typedef void (*delete_tree_fn)(void *context, bool gone, const char *kept);

/* Which znode of a path is meant: read earlier, and perhaps replaced since. */
struct meant {
    int64_t czxid;  /* 0: not known */
    int64_t latest; /* created at the latest then; 0: not known */
};

/* A run's znode, or an ephemeral or lasting sign beside it. fn is called once, from the loop; also when the
 * session ends before. False: nothing was begun. */
bool delete_tree(struct guard *guard, struct session *session, const char *path, struct meant meant,
                 delete_tree_fn fn, void *context);

#endif
