/*
 * acl_compare.h - whether two ACLs are one, and how they differ, in words that give nothing away. Pure.
 *
 * What stands behind a digest's user is made from its password: it is compared, and never shown.
 */
#ifndef ELECTOP_PROBE_INJECT_ACL_COMPARE_H
#define ELECTOP_PROBE_INJECT_ACL_COMPARE_H

#include <stdbool.h>

#include "probe/zookeeper/answer.h"

/* The same people may do the same; the order is of no account. */
bool acl_is_same(const struct acl *, const struct acl *);

/*
 * The servers keep something of it from us: who may read a znode and not administer it is shown its digests
 * as user:x. What is made of such an ACL would be nobody's.
 */
bool acl_is_masked(const struct acl *);

/* For people, one line: who may do what, as zkCli has it (cdrwa). malloc'd; NULL: out of memory. */
char *acl_tell(const struct acl *);

#endif
