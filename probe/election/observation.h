/*
 * observation.h - a fact that a source reports to the election model, with its time.
 *
 * Everything on any screen follows from a sequence of these, so a recording of them is a
 * complete history, and a replay is just another source. An observation borrows all it points at: it
 * is valid during the call that delivers it, and the model copies what it keeps.
 *
 * Within one cluster observations arrive in the order in which one ZooKeeper session saw them, which
 * ZooKeeper promises never to go backwards (also across a reconnect to another server).
 */
#ifndef ELECTOP_PROBE_ELECTION_OBSERVATION_H
#define ELECTOP_PROBE_ELECTION_OBSERVATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"
#include "probe/election/moment.h"

/* A znode's Stat, in the words of ZooKeeper. */
struct znode_stat {
    int64_t czxid, mzxid, pzxid;
    int64_t ctime_ms, mtime_ms; /* the server's wall clock */
    int32_t version, cversion, aversion;
    int32_t data_length; /* bytes, also of data that was not read */
    int32_t children;
    uint64_t owner; /* ephemeralOwner: a session id; 0: persistent */
};

enum observation_kind {
    OBSERVED_CONNECTION,  /* the tool's own session changed its state */
    OBSERVED_SERVER,      /* what one server says of itself */
    OBSERVED_ELECTION,    /* this election is being watched from now on */
    OBSERVED_DROPPED,     /* ... and is not any more */
    OBSERVED_CHILDREN,    /* the complete list of children of a directory, with its Stat */
    OBSERVED_NODE,        /* one znode exists: Stat, and its data where has_data */
    OBSERVED_ABSENT,      /* one znode does not exist */
    OBSERVED_DENIED,      /* one znode may not be read by us */
    OBSERVED_UNREAD,      /* facts about one znode may no longer hold: the servers do not answer requests
                             about it, for a reason unrelated to it */
    OBSERVED_GAP,         /* the observer itself was not running for gap_us until now */
    OBSERVED_CONNECTIONS, /* the connections that one server holds */
    OBSERVED_WATCHES,     /* the data and exists watches that one server holds */
    OBSERVED_SESSIONS,    /* the sessions of the ensemble, from ZooKeeper's own leader */
    OBSERVED_HIDDEN,      /* one of these three could not be had from a server, and why */
    OBSERVED_REPLICA,   /* an election's own znode as one server by itself shows it, or the end of a round */
    OBSERVED_TICK,      /* nothing but time has passed */
    OBSERVED_SILENCE,   /* the server of our session does not answer, though it is connected; or does again */
    OBSERVED_CLEARED,   /* the members of the ensemble, as far as known */
    OBSERVED_ENSEMBLE,  /* who belongs to the ensemble, as far as it is known */
    OBSERVED_LOAD,      /* one server's workload, and its limits */
    OBSERVED_BAD_REPLY, /* a server sent one that is no ZooKeeper reply */
    OBSERVED_TRANSACTION /* a server's transaction log: what one transaction did to a znode (path), or,
                            without a path, that the log was read up to it */
};

enum connection_state {
    CONNECTION_CONNECTING, /* not (yet, or any more) connected; the session may still be alive */
    CONNECTION_CONNECTED,
    CONNECTION_EXPIRED, /* the session is over; a new one is being made */
    CONNECTION_REFUSED  /* authentication failed: will not come back by itself */
};

enum server_mode {
    SERVER_UNKNOWN,
    SERVER_STANDALONE,
    SERVER_LEADER,
    SERVER_FOLLOWER,
    SERVER_OBSERVER,
    SERVER_READ_ONLY
};

/* Whether everybody who holds connections is among the servers. */
enum ensemble_known {
    ENSEMBLE_UNKNOWN, /* its members are not known */
    ENSEMBLE_WHOLE,   /* /zookeeper/config names no other */
    ENSEMBLE_PART     /* it does */
};

struct observed_connection {
    enum connection_state state;
    uint64_t session;    /* our session's id; 0: none yet */
    int timeout_ms;      /* negotiated; 0: unknown */
    const char *server;  /* address connected to, or NULL */
    int64_t silent_us;   /* not connected any more: the server was silent for so long; 0: it was there
                            until now. Connected: it was stalled for so long, and goes on */
    const char *problem; /* why not connected, for people ("no quorum", "connection refused"), or, where
                            connected, why nothing is to be seen there (no such chroot), or not all (a
                            directory that may not be walked); or NULL */
};

struct observed_server {
    const char *address; /* host:clientport, as configured or found */
    bool unasked;        /* it was not asked how it is, so nothing says whether it answers */
    bool reachable;      /* it answered; of one that was not asked: our own session is connected to it */
    enum server_mode mode;
    int64_t answer_us;   /* how long its last cheap answer took; -1: unknown */
    int64_t zxid;        /* -1: unknown */
    int connections;     /* -1: unknown */
    int tick_ms;         /* its tickTime; 0: unknown */
    const char *version; /* or NULL */
    const char *problem; /* NULL: healthy */
};

/*
 * How much work a server has, in its own words; -1: it did not say. Latencies are those of its answers to
 * clients since it started, or since they were reset.
 */
struct server_load {
    int64_t id; /* server.ID of its configuration */
    int64_t uptime_ms;
    int64_t latency_min_us, latency_avg_us, latency_max_us;
    int64_t outstanding;                 /* requests in its queue at that moment */
    int64_t znodes, ephemerals, watches; /* watches: child watches included */
    int64_t address_connections_most; /* maxClientCnxns: connections from one client address; 0: no limit */
    int64_t slow_fsyncs;              /* since it started: writes to its disk that took longer than its
                                         fsync.warningthresholdms; from AdminServer's server_stats alone */
};

#define SERVER_LOAD_UNKNOWN ((struct server_load){-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1})

struct observed_load {
    const char *address; /* as in OBSERVED_SERVER */
    bool part;           /* it was asked for some of them alone: the others are as they were */
    struct server_load load;
};

/*
 * One connection as its server lists it (AdminServer's "connections", the four-letter word "cons").
 * A ping moves all but last_cxid, which is that of the last real request: last_zxid is then the transaction
 * that the server had carried out last, so that request was answered no later.
 */
struct seen_connection {
    uint64_t session;             /* 0: none (yet) */
    const char *client;           /* "10.0.3.17:51234" */
    int64_t established_ms;       /* the server's wall clock; identifies a connection, together with client */
    int64_t last_response_ms;     /* the server's monotonic clock */
    int64_t last_cxid, last_zxid; /* -1: unknown */
    int timeout_ms;               /* negotiated */
    int outstanding;              /* requests it waits for; -1: unknown */
    const char *last_operation;   /* "DELE", "PING", ...; or NULL */
};

struct observed_connections {
    const char *address; /* of the server, as in OBSERVED_SERVER */
    const struct seen_connection *list;
    size_t count;
    int64_t now_ms;       /* the server's monotonic clock when it answered; -1: unknown (then the largest
                             last_response_ms is a lower bound of it) */
    int64_t now_age_us;   /* ... which it was no longer than this before the list was asked for */
    int64_t took_us;      /* until it had been answered */
    int64_t own_children; /* so many of its watches on children, of those that it counted before its watches
                             were listed last, are certainly ours; 0 also where that is not known */
    const uint64_t *own_sessions; /* the sessions of this program, here or on other servers */
    size_t own_session_count;
    uint32_t source;  /* see observed_watches */
    int64_t own_zxid; /* our own sessions had seen this transaction when they were answered before the list
                         was asked for, or by then; 0: unknown, or not all of them are here */
};

struct seen_watches {
    uint64_t session;
    const char *const *paths; /* full paths */
    size_t count;             /* 0: the session had watches, and they fired */
};

struct observed_watches {
    const char *address;
    const char *from; /* "adminserver" or "four-letter" */
    uint32_t source;  /* of the port that answered. Two ports may be those of two servers, where ports are forwarded and
                         the wrong AdminServer was taken for this server's */
    const struct seen_watches *list;
    size_t count;
    int64_t child_watches; /* of that server, without their owners: zk_watch_count minus these; -1: unknown */
    int64_t
        counted_us; /* the server counted them no earlier, by the observer's monotonic clock; 0: unknown */
};

/* Servers that it does not name have left. */
struct observed_ensemble {
    const char *const *addresses; /* as in OBSERVED_SERVER */
    size_t count;
    enum ensemble_known known;
};

/*
 * One session as ZooKeeper's leader lists it. It is given up when its end comes, which whatever is heard of
 * it anywhere puts off: to its timeout after that, rounded up to whole ticks.
 */
struct seen_session {
    uint64_t id;
    int64_t ends_ms; /* that server's monotonic clock; -1: unknown */
};

struct observed_sessions {
    const char *address;
    const struct seen_session *list;
    size_t count;
};

enum hidden_part { HIDDEN_CONNECTIONS, HIDDEN_WATCHES, HIDDEN_SESSIONS };

struct observed_hidden {
    const char *address;
    enum hidden_part part;
    const char *problem; /* "AdminServer does not answer on port 8080", and what to switch on */
};

/*
 * An election's own znode, read from one server: in a new session with that server alone, begun after every
 * read of the round before had been answered, and after a sync in it. So the server has carried out at
 * least everything that any server showed in an earlier round (see replicas.h for what follows from it).
 */
struct observed_replica {
    uint32_t round;                /* goes up by one a round, from 1 */
    const char *address;           /* of the server; NULL: the round is over (and no election is named) */
    const struct znode_stat *stat; /* NULL: it shows no such znode */
};

/* How an election came to be watched. */
enum election_origin {
    ORIGIN_CONFIGURED, /* named by the user, by path */
    ORIGIN_PATTERN,    /* matched a path with * or ? */
    ORIGIN_DISCOVERED  /* found by walking the tree */
};

struct observed_election {
    enum election_origin origin;
    const struct election_settings *settings; /* kind, recipe, allowances ...; its path may be a pattern */
};

struct observed_children {
    const struct znode_stat *stat; /* of the directory, from the same answer */
    char *const *names;            /* in no particular order */
    size_t count;
    int64_t synced_us; /* the request time of the sync before this list, on the observer's monotonic
                          clock: earlier facts of the servers are no later. 0: it followed none */
};

struct observed_unread {
    bool ack; /* the election's acknowledgement, or the registry of it; else its list, or for a lock the lock
               */
};

struct observed_bad_reply {
    const char *address; /* of the server, as in OBSERVED_SERVER */
    const char *what;    /* "children count -1 in 88 bytes" */
};

enum transaction_deed {
    DEED_NONE,
    DEED_DELETED, /* a request deleted the znode */
    DEED_CLOSED,  /* the client of its session closed that, and the znode went with it */
    DEED_EXPIRED  /* the servers gave its session up, and the znode went with it */
};

/* A log is written before a transaction takes effect: a znode's end in it is certain, unless it is unproven.
 */
struct observed_transaction {
    int64_t zxid;
    bool unproven; /* one server alone wrote it, and perhaps no other agreed */
    enum transaction_deed deed;
    uint64_t session;  /* of the request; of DEED_CLOSED and DEED_EXPIRED the one that ended */
    int64_t czxid;     /* of the znode that it took; 0: not known */
    int timeout_ms;    /* of the owner's session; 0: not known */
    int64_t active_us; /* the owner's latest transaction before it, on the observer's monotonic clock; 0: none
                          is known. The client was alive then */
};

struct observed_node {
    const struct znode_stat *stat;
    bool has_data;    /* false: only its Stat was read */
    const void *data; /* may be NULL where its length is 0 */
    size_t data_length;
};

struct observation {
    enum observation_kind kind;
    struct moment at;     /* of a list from a server: when it was asked for */
    unsigned cluster;     /* index into the model's clusters */
    const char *election; /* path of the election it was read for (full, chroot included); NULL where none */
    const char *path; /* full path of the znode read: the election's own, a child's, its acknowledgement's */
    union {
        struct observed_connection connection;
        struct observed_server server;
        struct observed_election subject;
        struct observed_children children;
        struct observed_node node;
        struct observed_unread unread;
        struct observed_connections connections;
        struct observed_watches watches;
        struct observed_sessions sessions;
        struct observed_hidden hidden;
        struct observed_replica replica;
        struct observed_ensemble ensemble;
        struct observed_load load;
        struct observed_transaction transaction;
        struct observed_bad_reply bad_reply;
        int64_t gap_us;
        struct moment silent_since; /* mono_us 0: it answers */
    };
};

#endif
