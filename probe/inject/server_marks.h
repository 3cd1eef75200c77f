/*
 * server_marks.h - what every server says of itself at one moment, to be held against another: how many
 * transactions, packets, connections, watches, sessions and ephemeral znodes there are, how many requests
 * wait, and its slowest answer so far.
 *
 * Cheap figures only: srvr and mntr, else AdminServer's monitor. What cannot be had is unknown.
 */
#ifndef ELECTOP_PROBE_INJECT_SERVER_MARKS_H
#define ELECTOP_PROBE_INJECT_SERVER_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "config/settings.h"

#define SERVER_MARKS_MOST 16

/* -1: not known. Packets and the slowest answer are since the server began to count. */
struct server_mark {
    char address[128];
    int64_t zxid, connections, watches, sessions, ephemerals;
    int64_t outstanding, slowest_ms, received, sent;
};
void server_mark_clear(struct server_mark *);
/* Whether anything is known. */
bool server_mark_knows(const struct server_mark *);
/* Each figure becomes the higher of both; what only one knows is that one's. False:
   the other knows nothing. */
bool server_mark_raise(struct server_mark *, const struct server_mark *other);
/* How many transactions there were between two marks of one server; -1: not known, as when another server
   became ZooKeeper's leader in between and began to number anew. */
int64_t server_mark_transactions(const struct server_mark *before, const struct server_mark *after);

struct server_marks;

typedef void (*server_marks_fn)(void *context, const struct server_mark *, size_t count);

/*
 * Asks the servers of the connect string, one after the other; fn is called once, from a turn of its own: one
 * that does not answer at all takes two seconds, and two more where its AdminServer is configured. The
 * cluster is borrowed until then. The marks are valid during the call. NULL: nothing may be asked, or out of
 * memory.
 */
struct server_marks *server_marks_ask(uv_loop_t *, const struct cluster_settings *, server_marks_fn,
                                      void *context);
/* fn is not called any more. NULL is fine. Not after fn was called. */
void server_marks_cancel(struct server_marks *);

#endif
