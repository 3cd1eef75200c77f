/*
 * session_table.h - the table of sessions that the servers show; client.h has the part that views read, and
 * watch_proof.h says which polls prove their watches.
 */
#ifndef ELECTOP_PROBE_ELECTION_SESSION_TABLE_H
#define ELECTOP_PROBE_ELECTION_SESSION_TABLE_H

#include "config/hash_table.h"
#include "probe/election/client.h"
#include "probe/election/cluster.h"

struct candidate;

struct client {
    struct client_session shown; /* first: a session is its client */
    struct hash_link by_id;
    struct candidate *owned; /* chained by owned_next */

    int64_t response_ms;     /* last response in the latest list */
    int64_t last_zxid;       /* in the latest list: its last request was answered no later; -1: unknown */
    int64_t ends_ms;         /* in the latest list of sessions: see seen_session; -1: unknown */
    int64_t same_end_us;     /* two lists in a row had that end, the second asked for then; 0: they had not */
    int64_t heard_since_us;  /* its end had grown in the list after the one asked for then; 0: never */
    int64_t parted_us;       /* the first list without its connection had come by then */
    uint64_t fingerprint;    /* of the watches that concern elections, in the series */
    int64_t series_us;       /* the series' first poll was asked for then; 0: no series */
    int64_t series_shown_us; /* ... and had been answered by then */
    int64_t absent_us;       /* the second list of absent_rounds was asked for then, so the first had come */
    int64_t outlived_us;     /* a read after a sync after that still showed a znode of it by then; 0: none */
    int64_t asked_us;        /* the latest poll, waiting for the list after it; 0: none waits */
    int64_t enclosed_asked_us; /* the latest with a list before and after ... */
    int64_t counted_asked_us;  /* the latest that counts; 0: none */
    int64_t counted_shown_us;  /* ... and the list asked for then showed it alive since */
    int64_t refuted_us; /* it was reported as disconnected since then, and outlived its timeout; 0: not so */
    int64_t proved_ms;  /* the connection that something was proved on: its establishment; 0: none */
    int64_t learned_us; /* packets may have shown it then that its znode is gone; 0: they have not */
    int64_t left_us;    /* the latest of its candidates went then; 0: none did ... */
    const struct election *left; /* ... from there: only to be compared, it may be dropped since */
    int64_t still_us;            /* it has made no request since then, on this connection; 0: unknown */
    uint32_t enclosed_took_us, counted_took_us; /* ... until the list after it was asked for */
    int32_t series_cxid;
    int32_t rhythm_ms;          /* the longest pause that a request of it ended; 0: none was seen */
    int32_t mean_ms;            /* between the requests of its connection; 0: they are few, or rare */
    int32_t ping_ms;            /* the shortest time between two answers that no request led to: it pings so
                                   often; 0: not seen */
    uint32_t scratch;           /* for the caller that walks over clients */
    uint16_t enclosed, counted; /* polls of the series; they stay at the largest */
    uint16_t list_round, watch_round, session_round; /* compared with the server's, for equality */
    uint16_t other_round; /* another server listed it, too, in this round of its lists */
    uint16_t other_server;
    int32_t announced; /* watches on children, in the latest list of watches; -1: it announces none */
    uint8_t
        absent_rounds; /* session lists in a row of one server without it, since all its candidates exist */
    uint8_t
        unlisted; /* so often ZooKeeper's leader has heard it since a server listed it; it stays at the largest */
    bool idle : 1;     /* in the series: no real request, none outstanding */
    bool ours : 1;     /* a session of this program */
    bool answered : 1; /* since the latest enclosed poll */
    bool captured : 1; /* packets show all of its connection: no list of a server knows more */
};

/* A session with an address, the next one of its host, and, in the first of a host, the first of the next one in its
 * place, from 1; 0: none. */
struct host_entry {
    const struct client *client;
    uint32_t next, next_host;
};

struct session_table {
    struct hash_table by_id;
    uint16_t session_round;
    struct moment sessions_seen; /* the latest list of sessions; mono_us 0: none */
    size_t sessions_server;      /* who gave it */
    size_t unlisted;             /* how many of these were so: client_is_unlisted() */
    int64_t leads_us;    /* it led after then: it has heard of each of our own sessions since; 0: unknown */
    uint64_t *ancestors; /* hashes of the paths above elections, 0: free */
    size_t ancestor_room;
    unsigned paths_round; /* of ancestors: another one for other elections */
    uint64_t *above;      /* sessions with a watch on an election's path or above it: it may be recursive */
    size_t above_count, above_room;
    uint64_t above_sum;       /* identifies this list */
    bool above_known;         /* no watch has changed since it was made */
    struct host_entry *hosts; /* by the hash of its host; NULL: not needed yet */
    uint32_t *host_first;     /* of a hash, from 1 */
    size_t host_room;
};

void session_table_free(struct session_table *clients);

struct client *session_table_find(const struct session_table *clients, uint64_t session);
/* The first one, or the one after that; NULL: no more. See hash_table_walk(). */
struct client *session_table_walk(const struct session_table *clients, const struct client *client);
/* The first of those with its address's host, itself included, where *at is 0, or the one after that; NULL: no more. */
const struct client *session_table_beside(struct session_table *clients, const struct client *client,
                                          uint32_t *at);
/* One of them goes, or has another address. */
void session_table_forget_hosts(struct session_table *clients);
/* Begins the table where there is none. */
struct client *session_table_make(struct cluster *cluster, uint64_t session);

/* It lives at a server, or a port, that shows no list: it was heard repeatedly, and no list has shown it. */
bool client_is_unlisted(const struct client *client);
/* Its lists have all connections that it counts, also those of another port. */
bool server_lists_all(const struct server *server);
/* Drops sessions that are on no server and own nothing. */
void session_table_drop_strangers(struct session_table *clients);
/*
 * From the latest list of sessions: a server heard of it no earlier than low_us, and ZooKeeper's leader
 * learnt nothing of it after high_us, on the observer's monotonic clock. False: the list does not show that.
 */
bool client_was_heard(const struct cluster *cluster, const struct client *client, int64_t *low_us,
                      int64_t *high_us);
/* Takes a copy of its watches. */
void client_keep_watches(struct client_session *shown, const struct seen_watches *seen);

/* Its znode was read, or goes. */
void client_owns(struct client *client, struct candidate *candidate);
void client_disown(struct candidate *candidate);
/* One of its candidates in this election; NULL: it owns none there. */
const struct candidate *client_candidate(const struct client *client, const struct election *election);

/* Does ephemeralOwner name a session? Not for persistent, container and TTL nodes. */
bool owner_is_session(uint64_t owner);

/* ---- session_table_lists.c: the servers' lists of sessions ---- */

/* Two servers list this session, so its server is unknown. */
bool client_doubled(const struct cluster *cluster, const struct client *client);

/* Takes the servers' lists into the table, and marks elections whose clients changed for diagnosis. */
void session_table_connections(struct cluster *cluster, size_t server, struct moment at,
                               const struct observed_connections *seen);
void session_table_watches(struct cluster *cluster, size_t server, struct moment at,
                           const struct observed_watches *seen);
void session_table_sessions(struct cluster *cluster, size_t server, struct moment at,
                            const struct observed_sessions *seen);
/* Takes the evidence that packets show of one session. */
void session_table_captured(struct cluster *cluster, struct moment at, const struct observed_captured *seen);
void session_table_hidden(struct cluster *cluster, size_t server, enum hidden_part part);
/* The server has left the ensemble: later indexes move up by one. */
void session_table_server_left(struct cluster *cluster, size_t server);

#endif
