/*
 * live_checks.h - checks whether test candidates may join the real ones of an election, and with which
 * layout.
 *
 * They may if all of these are known and suitable: at least two real candidates, and no test candidates of
 * another run; names of one kind, which can be copied; every real candidate's session timeout; sequence
 * numbers far from their limit, and the next one larger. layout.c checks the ACLs.
 */
#ifndef ELECTOP_PROBE_INJECT_LIVE_CHECKS_H
#define ELECTOP_PROBE_INJECT_LIVE_CHECKS_H

#include <uv.h>

#include "config/settings.h"

/* With fewer real candidates than this, no test candidate joins. */
#define LIVE_CHECKS_LEAST 2

struct live_checks;

/* problem NULL: they may join, with at most this session timeout; else why not, valid during the call. */
typedef void (*live_checks_fn)(void *context, const char *problem, int timeout_ms);

/*
 * Reads the election at this path below the chroot, and polls the servers. fn is called once, from a timer,
 * within some seconds. The settings are borrowed; other elections in them are ignored. pattern: of the names,
 * see naming.h; copied. NULL: no descriptor is left.
 */
struct live_checks *live_checks_begin(uv_loop_t *loop, const struct settings *settings,
                                      const struct cluster_settings *cluster, const char *path,
                                      const char *pattern, live_checks_fn fn, void *context);
/* Never call this from fn. NULL is allowed. */
void live_checks_free(struct live_checks *live_checks);

#endif
