/*
 * server_counters.h - counters of every server at one moment, to compare with another: the numbers of
 * transactions, packets, connections, watches, sessions, ephemeral znodes and waiting requests, and its
 * slowest answer so far.
 *
 * Uses only cheap figures: srvr and mntr, else AdminServer's monitor. Unavailable figures are unknown.
 */
#ifndef ELECTOP_PROBE_INJECT_SERVER_COUNTERS_H
#define ELECTOP_PROBE_INJECT_SERVER_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "config/settings.h"

#define SERVER_COUNTERS_MOST 16

/* -1: unknown. Packets and the slowest answer count from the server's start of counting. */
struct server_counter {
    char address[128];
    int64_t zxid, connections, watches, sessions, ephemerals;
    int64_t outstanding, slowest_ms, received, sent;
};
void server_counter_clear(struct server_counter *counter);
/* Whether anything is known. */
bool server_counter_knows(const struct server_counter *counter);
/* Raises each figure to the higher of both; a figure known to only one is taken from that one. False: the
 * other has no figures. */
bool server_counter_raise(struct server_counter *counter, const struct server_counter *other);
/* The number of transactions between two counters of one server; -1: unknown, for example if another server
 * became ZooKeeper's leader in between and numbers restarted. */
int64_t server_counter_transactions(const struct server_counter *before, const struct server_counter *after);

struct server_counters;

typedef void (*server_counters_fn)(void *context, const struct server_counter *, size_t count);

/*
 * Polls the servers of the connect string, one after the other. fn is called once, from a later turn of the
 * loop. A server that does not answer takes two seconds, plus two if its AdminServer is configured. The
 * cluster is borrowed until then. The counters are valid during the call. NULL: no server may be polled, or
 * libcurl cannot start.
 */
struct server_counters *server_counters_ask(uv_loop_t *loop, const struct cluster_settings *cluster,
                                            server_counters_fn fn, void *context);
/* Prevents the call of fn. NULL is allowed. Only allowed before fn was called. */
void server_counters_cancel(struct server_counters *server_counters);

#endif
