/*
 * request.h - the requests of a session that are not answered yet: each gets exactly one answer.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_REQUEST_H
#define ELECTOP_PROBE_ZOOKEEPER_REQUEST_H

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
    struct request *previous, *next;
};

struct requests {
    struct session *session;
    struct request *latest;
    uint64_t open, answered; /* how many */
};

/* Whatever the kind of request, what came back. */
struct answer {
    enum session_result result;
    const struct znode_stat *stat;
    const void *data;
    size_t length; /* of data, or the number of names */
    char *const *names;
    const char *path;
    const struct acl *acl;
};

/* A request to be filled and sent. NULL: out of memory. */
struct request *request_new(struct requests *, enum answer_kind, void *context);

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
