/*
 * siblings.h - whether test candidates may stand beside the real ones of an election, and as what.
 *
 * They may where all of these are known and fit: at least two real candidates in a line, and none of another
 * run's; names of one kind, which can be copied; every sibling's session timeout; numbers far from their end,
 * and the next one behind them. Their ACLs are sibling_acls.h's.
 */
#ifndef ELECTOP_PROBE_INJECT_SIBLINGS_H
#define ELECTOP_PROBE_INJECT_SIBLINGS_H

#include <uv.h>

#include "config/settings.h"

/* Fewer real candidates than this, and nobody of ours stands. */
#define SIBLINGS_LEAST 2

struct siblings;

/* problem NULL: they may, with at most this session timeout; else why not, valid during the call. */
typedef void (*siblings_fn)(void *context, const char *problem, int timeout_ms);

/*
 * Looks at the election at this path below the chroot, and at the servers; fn is called once, from a timer,
 * within some seconds. The settings are borrowed; whatever else they name is not looked at. pattern: of the
 * names, see naming.h; copied. NULL: out of memory.
 */
struct siblings *siblings_look(uv_loop_t *, const struct settings *, const struct cluster_settings *,
                               const char *path, const char *pattern, siblings_fn, void *context);
/* Not from within fn. NULL is fine. */
void siblings_free(struct siblings *);

#endif
