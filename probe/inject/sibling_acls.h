/*
 * sibling_acls.h - whether all who stand in an election have one ACL, which a test candidate may have, too.
 *
 * Where they differ (each client's own digest, say) every ACL is somebody's, and none is ours to stand with.
 */
#ifndef ELECTOP_PROBE_INJECT_SIBLING_ACLS_H
#define ELECTOP_PROBE_INJECT_SIBLING_ACLS_H

#include "probe/zookeeper/session.h"

/* Of more siblings than these the ACLs are not read: then nobody may stand there. */
#define SIBLING_ACLS_MOST 1000

/* problem NULL: all have it; else what is in the way, valid during the call. lost: it could not be found out.
 */
typedef void (*sibling_acls_fn)(void *context, const char *problem, bool lost);

/*
 * Reads the ACL of everybody who stands in the election and holds it against this one, which is borrowed
 * until fn is called: once, from the loop, also when the session ends before. False: nothing was asked.
 */
bool sibling_acls_read(struct session *, const char *election, const struct acl *, sibling_acls_fn,
                       void *context);

#endif
