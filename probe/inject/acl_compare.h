/*
 * acl_compare.h - whether two ACLs are equal, and how they differ, in words without secrets. Pure.
 *
 * The text after a digest's user is made from its password: it is compared, and never shown.
 */
#ifndef ELECTOP_PROBE_INJECT_ACL_COMPARE_H
#define ELECTOP_PROBE_INJECT_ACL_COMPARE_H

#include <stdbool.h>

#include "probe/zookeeper/answer.h"

/* The same people may do the same; the order is of no account. */
bool acl_is_same(const struct acl *, const struct acl *);

/*
 * The servers hide part of it: a client that may read a znode but not administer it sees its digests
 * as user:x. An ACL copied from that would match no user.
 */
bool acl_is_masked(const struct acl *);

/* For people, one line: who may do what, as zkCli has it (cdrwa). malloc'd; NULL: out of memory. */
char *acl_tell(const struct acl *);

#endif
