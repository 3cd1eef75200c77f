/*
 * sweep.h - deletes a znode and all below it, through the guard: what is known to be this program's
 * (run_mark.h), and nothing else. What is somebody else's stays, and with it what it stands in.
 */
#ifndef ELECTOP_PROBE_INJECT_SWEEP_H
#define ELECTOP_PROBE_INJECT_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/inject/guard.h"

/* gone: false where something stays. kept: the first that is not ours, valid during the call; NULL: all that
   was found is (and where something stays, the connection was lost, or we may not delete it). */
typedef void (*sweep_fn)(void *context, bool gone, const char *kept);

/* A run's znode, or an ephemeral or lasting sign beside it. fn is called once, from the loop; also when the
   session ends before. False: nothing was begun. */
bool sweep(struct guard *, struct session *, const char *path, sweep_fn, void *context);

#endif
