/*
 * delete_tree.h - deletes a znode and its descendants, through the guard, if they are known to be this
 * program's (run_marker.h). Foreign znodes stay, and so do their parents.
 */
#ifndef ELECTOP_PROBE_CANDIDATE_DELETE_TREE_H
#define ELECTOP_PROBE_CANDIDATE_DELETE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/candidate/guard.h"

/* gone: false where something stays. kept: the first that is not ours, valid during the call; NULL: all that
   was found is (and where something stays, the connection was lost, or we may not delete it). */
typedef void (*delete_tree_fn)(void *context, bool gone, const char *kept);

/* A run's znode, or an ephemeral or lasting sign beside it. fn is called once, from the loop; also when the
   session ends before. False: nothing was begun. */
bool delete_tree(struct guard *, struct session *, const char *path, delete_tree_fn, void *context);

#endif
