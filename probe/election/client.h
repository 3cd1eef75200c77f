/*
 * client.h - a session as the servers show it: its connection and its watches.
 *
 * Joined over all servers by session id, whatever its spelling there (signed decimal at AdminServer,
 * unsigned hex in four-letter words). Every fact carries the time of its look; an unavailable fact
 * is marked unknown, with the reason at its server (struct server, hidden).
 *
 * The table has the sessions that a server lists and those that own a candidate. Readers may keep nothing but
 * ids across observations.
 */
#ifndef ELECTOP_PROBE_ELECTION_CLIENT_H
#define ELECTOP_PROBE_ELECTION_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/moment.h"

#define CLIENT_NOWHERE UINT16_MAX

/* There are as many as the ensemble has sessions: members are ordered and sized to keep it small. */
struct client_session {
    uint64_t id;
    char *address;           /* "10.0.3.17:51234"; NULL: unknown */
    int64_t established_ms;  /* identifies a connection, together with the address */
    struct moment seen;      /* of the connection list */
    int64_t watches_seen_us; /* of the watch list, monotonic */
    char **watches;          /* full paths; data and exists watches (child watches are never shown) */
    uint32_t watch_count;
    int32_t silent_ms;  /* unheard at the moment seen, by that server's own clock; -1: unknown */
    int32_t last_cxid;  /* of its last real request; -1: unknown */
    int timeout_ms;     /* negotiated; 0: unknown */
    int outstanding;    /* requests it waits for; -1: unknown */
    uint16_t server;    /* index into cluster->servers, of its connection; CLIENT_NOWHERE: none is known */
    bool connected : 1; /* some server listed a connection of it at its last look */
    bool silent_is_bound : 1; /* it may be more: that server's now is not known */
    bool watches_known : 1;   /* its server showed its watches, and it was connected there before and after */
    bool watches_listed : 1;  /* it was in that list: an empty list means that watches fired, absence
                                 that none was ever set on this connection */
    bool observer : 1;        /* it is a copy of this program */
    bool alive_known : 1;     /* ZooKeeper's leader was asked ... */
    bool alive : 1;           /* ... and listed its session */
};

struct cluster;
/* NULL: nothing is known of it. */
const struct client_session *cluster_client(const struct cluster *cluster, uint64_t session);

/* When its session expires at the latest if it is not heard again; mono_us 0: not known, or it has no
   connection by now. Counts the timeout from when it was last heard, and what the servers round it up by. */
struct moment client_expires(const struct cluster *cluster, const struct client_session *client);
/* ... if it was heard at that moment, and not again. */
struct moment client_expires_heard(const struct cluster *cluster, const struct client_session *client,
                                   struct moment heard);
/* For so long after it was last heard the servers keep it at the most: its timeout, and 1.5 ticks for their
   rounding (of the usual 2 s where they tell no other). 0: its timeout is not known. */
int64_t client_expiry_us(const struct cluster *cluster, const struct client_session *client);

/* Unheard for longer than one that pings ever is: a client pings at a third of its timeout. */
bool client_is_silent(const struct client_session *client);

/* The part of its address before the port, as written; its length, 0: unknown. */
size_t client_host(const struct client_session *client, const char **host);

#endif
