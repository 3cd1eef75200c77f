/*
 * layout.h - reads the layout of an election's present candidates, so that test candidates can copy it.
 */
#ifndef ELECTOP_PROBE_INJECT_LAYOUT_H
#define ELECTOP_PROBE_INJECT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/inject/run_report.h"
#include "probe/zookeeper/answer.h"
#include "probe/zookeeper/session.h"

/*
 * Compares two ACLs, and describes their difference without secrets. Pure.
 *
 * The text after the user of a digest is derived from the password: it is compared, but never shown.
 */

/* The ACLs grant the same rights to the same users, in any order. */
bool acl_is_same(const struct acl *a, const struct acl *b);

/*
 * The servers hide part of it: a client that may read a znode but not administer it sees its digests as
 * user:x. A copy of that ACL would match no user.
 */
bool acl_is_masked(const struct acl *acl);

/* Describes it for the user in one line, with rights as in zkCli (cdrwa). malloc'd. */
char *acl_describe(const struct acl *acl);

#define LAYOUT_DATA_MOST 4096

struct layout {
    bool exists, denied, lock;
    struct znode_stat directory; /* if it exists */
    char *name;                  /* pattern, see naming.h; NULL: no candidate to copy from */
    char *data;                  /* of one candidate; NULL: none, or not text */
    struct acl acl;              /* of the first candidate; count 0: unknown */
    bool acl_masked;             /* the servers hide part of it (acl_is_masked()), so it is unknown */
    struct acl_entry acl_entries[ACL_ENTRIES_MOST];
};

/* lost: the connection was lost before everything was read; the layout is invalid. */
typedef void (*layout_fn)(void *context, bool lost);

void layout_free(struct layout *layout);

/*
 * The pattern behind such a name, without its number: GUIDs and the owner's session differ between
 * candidates. malloc'd; NULL: the name does not end in a number.
 */
char *layout_pattern(const char *name, uint64_t owner);

/*
 * Reads a run's path before any write: the layout to copy, and in a live election whether test candidates may
 * join.
 */

struct run;

/* problem NULL: the run may continue; else why it must not, valid during the call. */
typedef void (*run_layout_fn)(struct run *, enum run_end why, const char *problem);

/*
 * Chooses the run's path and fills in its layout; in a live election its guard, too. fn is called once, even
 * if the session ends before; perhaps at once.
 */
void run_layout(struct run *run, run_layout_fn fn);

#endif
