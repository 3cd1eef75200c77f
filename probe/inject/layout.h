/*
 * layout.h - how candidates of an election are made, read from its present candidates, to be copied.
 */
#ifndef ELECTOP_PROBE_INJECT_LAYOUT_H
#define ELECTOP_PROBE_INJECT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/zookeeper/session.h"

#define LAYOUT_DATA_MOST 4096

struct layout {
    bool exists, denied, lock;
    size_t standing; /* sequential children */
    char *name;      /* pattern, see naming.h; NULL: there is no candidate to copy it from */
    char *data;      /* of one of them; NULL: it has none, or not as text */
    struct acl acl;  /* of the first; count 0: not known */
    bool acl_masked; /* the servers keep a part of it from us (acl_compare.h): then it is not known */
    struct acl_entry acl_entries[ACL_ENTRIES_MOST];
};

/* lost: it could not be read to its end (the connection, or memory): nothing is to be made of it. */
typedef void (*layout_fn)(void *context, bool lost);

/* Reads it; fn is called once, from the loop. The layout must stay until then. False: nothing was asked. */
bool layout_read(struct session *, const char *path, struct layout *, layout_fn, void *context);
void layout_free(struct layout *);

/*
 * The pattern that such a name was made from, without its number: GUIDs and the owner's session are what
 * differs from candidate to candidate. malloc'd; NULL: it ends in no number, or out of memory.
 */
char *layout_pattern(const char *name, uint64_t owner);

#endif
