/*
 * server_address.h - the addresses of a cluster's servers, and how each is recognised: which AdminServers may
 * be its own, and on which of them our own session is.
 *
 * ensemble_watch.c owns it; a poll (server_poll.h) reads it. A server is identified by its address, as in
 * observations; no two have the same.
 */
#ifndef ELECTOP_PROBE_WATCH_SERVER_ADDRESS_H
#define ELECTOP_PROBE_WATCH_SERVER_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "config/connect_string.h"
#include "probe/watch/live_cluster.h"
#include "probe/zookeeper/ensemble.h"

/*
 * Which host names of a cluster's servers are the same machine.
 *
 * The connect string, /zookeeper/config, the configuration and the client library each name servers in their
 * own way: by a short name, a full one, an address. Two of them are the same where they are spelt the same,
 * or where each has one address (of a kind: IPv4, IPv6) and the two share one. A name of
 * several machines together is none of them.
 *
 * Names are looked up off the loop. Until an answer arrives, and without one, only the spelling counts.
 */

struct host_aliases;

/* changed is called, from the loop, whenever the last look-up under way has ended. */
struct host_aliases *host_aliases_new(uv_loop_t *loop, void (*changed)(void *context), void *context);

/* Looks the host up, where it is not in the book. */
void host_aliases_add(struct host_aliases *book, const char *host);
/* Looks those up again of which no address is known. */
void host_aliases_retry(struct host_aliases *book);
bool host_aliases_is_busy(const struct host_aliases *book);

bool host_aliases_knows(const struct host_aliases *book, const char *host); /* an address of it */

#define SERVER_ADDRESSES_MOST (CONNECT_STRING_SERVERS + ENSEMBLE_MEMBERS)

/* A server that is to be asked: a copy of what names it. */
struct server_address {
    char *address;       /* host:port, as observations call the server */
    char *host;          /* without brackets */
    int port;            /* 0: not known, so it cannot be asked */
    const char *problem; /* ... and why not; static text */
    size_t index;        /* in the list that it comes from */
    size_t member;       /* in /zookeeper/config; ENSEMBLE_MEMBERS: it is not known as any */
    int64_t id;          /* its id there; -1: not known */
};

struct server_addresses {
    const struct live_cluster *live;
    struct host_aliases *book;
    struct connect_string named; /* the connect string's, or the configured ones */
    struct host_port *admins;    /* NULL: none are listed */
    size_t admin_count;
    struct server_address list[SERVER_ADDRESSES_MOST];
    size_t count;
    bool missed; /* one of them did not answer: it may have left */
};

/* Frees its members, list and book included. */
void server_addresses_release(struct server_addresses *places);
void server_address_free(struct server_address *place);

/* This is where that host and port are. */
bool server_addresses_same(const struct server_addresses *places, const struct host_port *one,
                           const char *host, int port);

/*
 * The AdminServers that may be that server's own, the likeliest first. Of a list of them: those on its host,
 * by spelling or address; else those that match no host. Among equals the order of the list decides which is
 * tried first, never which is believed. sure: no other is on this host, and no other server.
 */
struct admin_choice {
    const char *host;
    int port;
    bool sure;
};
size_t server_addresses_admins(const struct server_addresses *places, const char *address);
bool server_addresses_admin(const struct server_addresses *places, const char *address, size_t i,
                            struct admin_choice *out);

/* The id by which /zookeeper/config calls it; -1: unknown. */
int64_t server_addresses_id(const struct server_addresses *places, const char *address);
/* So many of them are known to answer their clients on this port. */
size_t server_addresses_with_port(const struct server_addresses *places, int port);
/* Our own session is connected to it, as far as is known. */
bool server_addresses_have_ours(const struct server_addresses *places, const char *host, int port);

#endif
