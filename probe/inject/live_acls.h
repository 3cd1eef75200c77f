/*
 * live_acls.h - whether all candidates of an election have the same ACL, which a test candidate may have, too.
 *
 * Where they differ (each client's own digest, say) every ACL belongs to one client, and none fits ours.
 */
#ifndef ELECTOP_PROBE_INJECT_LIVE_ACLS_H
#define ELECTOP_PROBE_INJECT_LIVE_ACLS_H

#include <stdbool.h>

#include "probe/zookeeper/session.h"

/* problem NULL: all have it; else the obstacle, valid during the call. lost: the connection was lost first. */
typedef void (*live_acls_fn)(void *context, const char *problem, bool lost);

/*
 * Reads the ACL of every candidate of the election and compares it with this one, which is borrowed
 * until fn is called: once, from the loop, also when the session ends before. False: nothing was requested.
 */
bool live_acls_read(struct session *session, const char *election, const struct acl *ours, live_acls_fn fn,
                    void *context);

#endif
