/*
 * layout.h - reads the layout of an election's present candidates, so that test candidates can copy it.
 */
#ifndef ELECTOP_PROBE_INJECT_LAYOUT_H
#define ELECTOP_PROBE_INJECT_LAYOUT_H

#include <stdbool.h>

#include "probe/zookeeper/answer.h"
#include "probe/zookeeper/session.h"

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

/* Reads it; fn is called once, from the loop. The layout must stay until then. False: nothing was asked. */
bool layout_read(struct session *session, const char *path, struct layout *layout, layout_fn fn,
                 void *context);

void layout_free(struct layout *layout);

/*
 * The pattern behind such a name, without its number: GUIDs and the owner's session differ between
 * candidates. malloc'd; NULL: the name does not end in a number.
 */
char *layout_pattern(const char *name, uint64_t owner);

#endif
