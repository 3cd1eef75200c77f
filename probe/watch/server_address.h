/*
 * server_address.h - the addresses of a cluster's servers, and how each server is recognised: which
 * AdminServers may belong to it, and which server our own session is connected to.
 *
 * ensemble_watch.c owns the list; a poll (server_poll.h) reads it. As in observations, an address identifies
 * a server. No two servers have the same address.
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
#include "probe/zookeeper/server_lists.h"

/*
 * Which host names of a cluster's servers mean the same machine.
 *
 * The connect string, /zookeeper/config, the configuration and the client library may name a server
 * differently: by a short name, a full name or an address. Two names match if they are spelt the same, or if
 * each has one address (per kind: IPv4, IPv6) and both share it. A name that resolves to several machines
 * matches none of them.
 *
 * Names are resolved outside the loop. Until an answer arrives, or if none does, only the spelling counts.
 */

struct host_aliases;

/* changed is called from the loop whenever the last pending look-up has ended. */
struct host_aliases *host_aliases_new(uv_loop_t *loop, void (*changed)(void *context), void *context);

/* Looks the host up, unless it is known already. */
void host_aliases_add(struct host_aliases *book, const char *host);
/* Repeats the look-up of hosts without a known address. */
void host_aliases_retry(struct host_aliases *book);
bool host_aliases_is_busy(const struct host_aliases *book);

bool host_aliases_knows(const struct host_aliases *book, const char *host); /* one of its addresses */

#define SERVER_ADDRESSES_MOST (CONNECT_STRING_SERVERS + ENSEMBLE_MEMBERS)

/* A server to poll: a copy of everything that names it. */
struct server_address {
    char *address;       /* host:port, the server's name in observations */
    char *host;          /* without brackets */
    int port;            /* 0: not known, so it cannot be polled */
    const char *problem; /* why the port is not known; static text */
    size_t index;        /* in its source list */
    size_t member;       /* in /zookeeper/config; ENSEMBLE_MEMBERS: not known as a member */
    int64_t id;          /* its id in /zookeeper/config; -1: not known */
};

struct server_addresses {
    const struct live_cluster *live;
    struct host_aliases *book;
    struct connect_string named; /* the servers of the connect string, or the configured ones */
    struct host_port *admins;    /* NULL: none are listed */
    int64_t *admin_ids; /* of each: the id that its server showed; 0: none yet, -1: those of several */
    size_t admin_count;
    struct server_address list[SERVER_ADDRESSES_MOST];
    size_t count;
    bool missed; /* a server did not answer: it may have left the ensemble */
};

/* Frees its members, including list and book. */
void server_addresses_release(struct server_addresses *places);
void server_address_free(struct server_address *place);

/* The i-th server has this host and port. */
bool server_addresses_same(const struct server_addresses *places, const struct host_port *one,
                           const char *host, int port);

/*
 * The AdminServers that may belong to a server, most likely first. From a configured list: those on its host,
 * by spelling or address; else those that match no host. The order of the list decides only which is tried
 * first, never which is trusted. sure: this host has no other AdminServer and no other server.
 */
struct admin_choice {
    const char *host;
    int port;
    bool sure;
};
size_t server_addresses_admins(const struct server_addresses *places, const char *address);
bool server_addresses_admin(const struct server_addresses *places, const char *address, size_t i,
                            struct admin_choice *out);

/* Notes the id that this AdminServer shows (0: none now). False: it has shown several, as an address does behind which
 * servers take turns, so it belongs to none of them. */
bool server_addresses_admin_is_one(const struct server_addresses *places, const char *host, int port,
                                   int64_t id);

/* The server's id in /zookeeper/config; -1: unknown. */
int64_t server_addresses_id(const struct server_addresses *places, const char *address);
/* The number of servers known to serve clients on this port. */
size_t server_addresses_with_port(const struct server_addresses *places, int port);
/* Our own session is connected to this server, as far as known. */
bool server_addresses_have_ours(const struct server_addresses *places, const char *host, int port);
/* The list contains a session of this program that is connected to this server, or to any address where this is the
 * only server, and that no other one can list. A server that a session has left keeps the old connection for up
 * to the session timeout. */
bool server_addresses_prove(const struct server_addresses *places, const char *host, int port,
                            const struct connection_list *list);

#endif
