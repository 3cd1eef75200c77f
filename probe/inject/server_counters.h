/*
 * server_counters.h - what every server says of itself at one moment, to be held against another: how many
 * transactions, packets, connections, watches, sessions and ephemeral znodes there are, how many requests
 * wait, and its slowest answer so far.
 *
 * Cheap figures only: srvr and mntr, else AdminServer's monitor. What cannot be had is unknown.
 */
#ifndef ELECTOP_PROBE_INJECT_SERVER_COUNTERS_H
#define ELECTOP_PROBE_INJECT_SERVER_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "config/settings.h"

#define SERVER_COUNTERS_MOST 16

/* -1: not known. Packets and the slowest answer are since the server began to count. */
struct server_counter {
    char address[128];
    int64_t zxid, connections, watches, sessions, ephemerals;
    int64_t outstanding, slowest_ms, received, sent;
};
void server_counter_clear(struct server_counter *counter);
/* Whether anything is known. */
bool server_counter_knows(const struct server_counter *counter);
/* Each figure becomes the higher of both; what only one knows is that one's. False:
   the other knows nothing. */
bool server_counter_raise(struct server_counter *counter, const struct server_counter *other);
/* How many transactions there were between two counters of one server; -1: not known, as when another server
   became ZooKeeper's leader in between and began to number anew. */
int64_t server_counter_transactions(const struct server_counter *before, const struct server_counter *after);

struct server_counters;

typedef void (*server_counters_fn)(void *context, const struct server_counter *, size_t count);

/*
 * Polls the servers of the connect string, one after the other; fn is called once, from a turn of its own: a
 * server that does not answer at all takes two seconds, and two more where its AdminServer is configured. The
 * cluster is borrowed until then. The counters are valid during the call. NULL: no server may be polled, or
 * libcurl cannot begin.
 */
struct server_counters *server_counters_ask(uv_loop_t *loop, const struct cluster_settings *cluster,
                                            server_counters_fn fn, void *context);
/* fn is not called any more. NULL is fine. Not after fn was called. */
void server_counters_cancel(struct server_counters *server_counters);

#endif
