/*
 * acl.h - compares two ACLs, and describes their difference without secrets. Pure.
 *
 * The text after the user of a digest is derived from the password: it is compared, but never shown.
 */
#ifndef ELECTOP_PROBE_INJECT_ACL_H
#define ELECTOP_PROBE_INJECT_ACL_H

#include <stdbool.h>

#include "probe/zookeeper/answer.h"

/* The ACLs grant the same rights to the same users, in any order. */
bool acl_is_same(const struct acl *a, const struct acl *b);

/*
 * The servers hide part of it: a client that may read a znode but not administer it sees its digests as
 * user:x. A copy of that ACL would match no user.
 */
bool acl_is_masked(const struct acl *acl);

/* Describes it for the user in one line, with rights as in zkCli (cdrwa). malloc'd. */
char *acl_describe(const struct acl *acl);

#endif
