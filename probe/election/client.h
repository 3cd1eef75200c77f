/*
 * client.h - a session as the servers show it: its connection and its watches.
 *
 * Facts of all servers are joined by session id, in any spelling (signed decimal at AdminServer, unsigned
 * hexadecimal in four-letter words). Every fact has the time of its poll. An unavailable fact is marked
 * unknown, and its server has the reason (struct server, hidden).
 *
 * The table contains the sessions that a server lists and those that own a candidate. Readers must keep only
 * ids across observations.
 */
#ifndef ELECTOP_PROBE_ELECTION_CLIENT_H
#define ELECTOP_PROBE_ELECTION_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/moment.h"

#define CLIENT_NOWHERE UINT16_MAX

/* There are as many as the ensemble has sessions, so members are ordered and sized to save memory. */
struct client_session {
    uint64_t id;
    char *address;           /* "10.0.3.17:51234"; NULL: unknown */
    int64_t established_ms;  /* with the address, identifies a connection */
    struct moment seen;      /* of the connection list */
    int64_t watches_seen_us; /* of the watch list, monotonic */
    char **watches;          /* full paths; data and exists watches (child watches are never shown) */
    uint8_t *watch_kinds;    /* of each, an enum watch_kind; NULL: data watches */
    uint32_t watch_count;
    int32_t silent_ms;        /* the silence at the moment seen, by that server's clock; -1: unknown */
    int32_t last_cxid;        /* of its last real request; -1: unknown */
    int timeout_ms;           /* negotiated; 0: unknown */
    int outstanding;          /* requests in its queue; -1: unknown */
    uint16_t server;          /* of its connection, index into cluster->servers; CLIENT_NOWHERE: unknown */
    bool connected : 1;       /* some server listed a connection of it in its last poll */
    bool silent_is_bound : 1; /* a lower bound: that server's "now" is unknown */
    bool watches_known : 1;   /* its server showed its watches, and it was connected there before and after */
    bool watches_listed : 1; /* it was in that list: an empty list means that its watches fired; absence, that
                                none was ever set on this connection */
    bool all_watches : 1;    /* packets show watches of every kind: no other is hidden */
    bool observer : 1;       /* it is a copy of this program */
    bool pings : 1;          /* silent_ms is unknown, but not long: a recording shows the long ones */
    bool alive_known : 1;    /* ZooKeeper's leader was polled */
    bool alive : 1;          /* and listed its session */
};

struct cluster;
/* NULL: nothing is known of it. */
const struct client_session *cluster_client(const struct cluster *cluster, uint64_t session);

/* When its session expires at the latest without further contact; mono_us 0: unknown, or it is no longer
 * connected. Adds the timeout, and the servers' rounding, to the last contact. */
struct moment client_expires(const struct cluster *cluster, const struct client_session *client);
/* The same, if the last contact was at that moment. */
struct moment client_expires_heard(const struct cluster *cluster, const struct client_session *client,
                                   struct moment heard);
/* The longest time that servers keep it after the last contact: its timeout, and 1.5 ticks for their rounding
 * (of the usual 2 s if the tick is unknown). 0: its timeout is unknown. */
int64_t client_expiry_us(const struct cluster *cluster, const struct client_session *client);

/* Silent for longer than any client that pings: a client pings at a third of its timeout. */
bool client_is_silent(const struct client_session *client);
/* Silent for nine tenths of its timeout: its session rather ends than not. */
bool client_is_overdue(const struct client_session *client);
/* Connected, and not heard since then. */
bool client_is_unheard(const struct client_session *client, struct moment since);

/* When its connection began, by the observer's clock. */
int64_t client_established_us(const struct cluster *cluster, const struct client_session *client);

/* The part of its address before the port, as written; returns its length, 0: unknown. */
size_t client_host(const struct client_session *client, const char **host);
/* Both have an address, of one host. */
bool client_is_beside(const struct client_session *client, const struct client_session *other);

#endif
