/*
 * request.h - the requests of a session that are not answered yet: each gets exactly one answer.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_REQUEST_H
#define ELECTOP_PROBE_ZOOKEEPER_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/zookeeper/answer.h"

struct session;

enum answer_kind { ANSWER_NODE, ANSWER_CHILDREN, ANSWER_TEXT, ANSWER_ACL, ANSWER_NOTHING };

struct request {
    struct requests *all;
    enum answer_kind kind;
    union {
        session_node_fn node;
        session_children_fn children;
        session_text_fn text;
        session_acl_fn acl;
    } fn;
    void *context;
    bool (*send)(struct request *); /* of a read, which may be sent again; false: the library takes none */
    bool watch;                     /* ... leaving a watch */
    unsigned refusals;              /* so often the servers would not answer */
    struct request *previous, *next;
    char path[]; /* of a read */
};

struct requests {
    struct session *session;
    struct request *latest;
    uint64_t open, answered; /* how many */
};

/* The answer to a request of any kind. */
struct answer {
    enum session_result result;
    const struct znode_stat *stat;
    const void *data;
    size_t length; /* of data, or the number of names */
    char *const *names;
    const char *path;
    const struct acl *acl;
};

/* A request to be filled and sent; path: of a read, else NULL. NULL: out of memory. */
struct request *request_new(struct requests *, enum answer_kind, const char *path, void *context);

/* It is answered in a way that is no answer, and kept for later by the caller; it is sent once more. */
void request_detach(struct request *);
void request_attach(struct request *);

/* It was not sent after all. */
void request_free(struct request *);

/*
 * Gives the answer and frees the request. It is unlinked before, since the answer may close the session or
 * ask again.
 */
void request_answer(struct request *, const struct answer *);

/* Answers all of them, in order, with SESSION_LOST. The library still holds them: its own answers find
 * nothing to do. */
void requests_give_up(struct requests *);

#endif
