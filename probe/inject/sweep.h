/*
 * sweep.h - deletes a znode and all below it, through the guard, whatever it finds there.
 */
#ifndef ELECTOP_PROBE_INJECT_SWEEP_H
#define ELECTOP_PROBE_INJECT_SWEEP_H

#include <stdbool.h>

#include "probe/inject/guard.h"

/* gone: false where something stays (not ours to delete, or the connection was lost). */
typedef void (*sweep_fn)(void *context, bool gone);

/* fn is called once, from the loop; also when the session ends before. False: nothing was begun. */
bool sweep(struct guard *, struct session *, const char *path, sweep_fn, void *context);

#endif
