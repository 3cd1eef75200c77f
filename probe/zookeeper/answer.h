/*
 * answer.h - answers to requests to ZooKeeper, and the functions that receive them.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_ANSWER_H
#define ELECTOP_PROBE_ZOOKEEPER_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include "probe/election/observation.h" /* struct znode_stat */

enum session_result {
    SESSION_OK,
    SESSION_NO_NODE,
    SESSION_DENIED,
    SESSION_NODE_EXISTS,
    SESSION_LOST, /* not carried out, or not known whether: the connection or the session went */
    SESSION_BUSY, /* a sync or a write was not carried out: the servers are overloaded. Later it may be */
    SESSION_TOO_LARGE, /* of session_list() only: more children than are taken; see frame.h */
    SESSION_FAILED     /* anything else; never of exists, get and children: they are asked again */
};

/* Who may do what with a znode. */
struct acl_entry {
    int32_t permissions; /* ZooKeeper's bits: read 1, write 2, create 4, delete 8, admin 16 */
    const char *scheme, *id;
};
struct acl {
    const struct acl_entry *entries;
    size_t count;
};
#define ACL_ENTRIES_MOST 32

/*
 * Answers. Called exactly once for every request that was accepted, in the order of the requests.
 * Pointers are valid during the call. stat is NULL unless the result is SESSION_OK.
 */
typedef void (*session_node_fn)(void *context, enum session_result, const struct znode_stat *stat,
                                const void *data, size_t length);
typedef void (*session_children_fn)(void *context, enum session_result, const struct znode_stat *stat,
                                    char *const *names, size_t count);
typedef void (*session_text_fn)(void *context, enum session_result, const char *path);
/* acl is NULL unless the result is SESSION_OK; lists longer than ACL_ENTRIES_MOST are SESSION_FAILED. */
typedef void (*session_acl_fn)(void *context, enum session_result, const struct acl *);

#endif
