/*
 * layout.h - how candidates of an election are made, read from its present candidates, to be copied.
 */
#ifndef ELECTOP_PROBE_INJECT_LAYOUT_H
#define ELECTOP_PROBE_INJECT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/inject/run_report.h"
#include "probe/zookeeper/answer.h"
#include "probe/zookeeper/session.h"

/*
 * Whether two ACLs are equal, and how they differ, in words without secrets. Pure.
 *
 * The text after a digest's user is made from its password: it is compared, and never shown.
 */

/* The same people may do the same; the order is of no account. */
bool acl_is_same(const struct acl *acl, const struct acl *b);

/*
 * The servers hide part of it: a client that may read a znode but not administer it sees its digests
 * as user:x. An ACL copied from that would match no user.
 */
bool acl_is_masked(const struct acl *acl);

/* For people, one line: who may do what, as zkCli has it (cdrwa). malloc'd. */
char *acl_describe(const struct acl *acl);

#define LAYOUT_DATA_MOST 4096

struct layout {
    bool exists, denied, lock;
    struct znode_stat directory; /* where it exists */
    char *name;                  /* pattern, see naming.h; NULL: there is no candidate to copy it from */
    char *data;                  /* of one of them; NULL: it has none, or not as text */
    struct acl acl;              /* of the first; count 0: not known */
    bool acl_masked; /* the servers keep a part of it from us (acl_is_masked()): then it is not known */
    struct acl_entry acl_entries[ACL_ENTRIES_MOST];
};

/* lost: it could not be read to its end (the connection went): nothing is to be made of it. */
typedef void (*layout_fn)(void *context, bool lost);

void layout_free(struct layout *layout);

/*
 * The pattern that such a name was made from, without its number: GUIDs and the owner's session are what
 * differs from candidate to candidate. malloc'd; NULL: it ends in no number.
 */
char *layout_pattern(const char *name, uint64_t owner);

/*
 * Reads a run's path, before anything is written: the layout to copy, and in a live election
 * whether test candidates may join.
 */

struct run;

/* problem NULL: the run may go on; else why it must not, valid during the call. */
typedef void (*run_layout_fn)(struct run *, enum run_end why, const char *problem);

/*
 * Chooses the run's path, and fills in its layout; live its guard, too. fn is called once, also
 * when the session ends before; perhaps at once.
 */
void run_layout(struct run *run, run_layout_fn fn);

#endif
