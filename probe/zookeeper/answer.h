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
    SESSION_LOST, /* not carried out, or unknown whether: the connection or the session was lost */
    SESSION_BUSY, /* a sync or a write was not carried out because the servers are overloaded; a retry may
                     succeed */
    SESSION_TOO_LARGE, /* where it is not repeated: more children than the limit; see frame.h */
    SESSION_FAILED     /* any other error; never of exists, get and children, which are repeated */
};

/* One entry of a znode's access control list. */
struct acl_entry {
    int32_t permissions; /* ZooKeeper's bits: read 1, write 2, create 4, delete 8, admin 16 */
    const char *scheme, *id;
};
struct acl {
    const struct acl_entry *entries;
    size_t count;
};
#define ACL_ENTRIES_MOST 32

/* What is not part of the answer to that request is 0 or NULL, and all but the result unless that is SESSION_OK. */
struct session_answer {
    enum session_result result;
    const struct znode_stat *stat;
    const void *data;
    size_t length;
    char *const *names; /* of children */
    size_t count;
    const char *path;      /* of a created znode */
    const struct acl *acl; /* lists longer than ACL_ENTRIES_MOST give SESSION_FAILED */
};

/*
 * Receives an answer. Called exactly once for every accepted request, in the order of the requests. Pointers
 * are valid during the call.
 */
typedef void (*session_answer_fn)(void *context, const struct session_answer *answer);

#endif
