/*
 * observation.h - a fact that a source reports to the election model, with its time.
 *
 * Every screen follows from a sequence of observations: a case (probe/case/) keeps them, and is just another
 * source. (A recording, probe/history/, keeps what the model concluded from them: snapshot_read() makes a model
 * of it, without any observation.) An observation borrows everything it points to: it is valid during the call
 * that delivers it, and the model copies what it keeps.
 *
 * Within one cluster observations arrive in the order in which one ZooKeeper session saw them. ZooKeeper
 * guarantees that this order never goes backwards (also across a reconnect to another server).
 */
#ifndef ELECTOP_PROBE_ELECTION_OBSERVATION_H
#define ELECTOP_PROBE_ELECTION_OBSERVATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"
#include "probe/election/moment.h"

/* A znode's Stat, with ZooKeeper's names. */
struct znode_stat {
    int64_t czxid, mzxid, pzxid;
    int64_t ctime_ms, mtime_ms; /* the server's wall clock */
    int32_t version, cversion, aversion;
    int32_t data_length; /* bytes, even if the data was not read */
    int32_t children;
    uint64_t owner; /* ephemeralOwner: a session id; 0: persistent */
};

/* A server's clock may contain any value; one that in microseconds leaves no room for a difference is ignored. */
static inline int64_t znode_time_ms(int64_t ms)
{
    return ms > 0 && ms < INT64_MAX / 2000 ? ms : 0;
}

/* Files keep these numbers (probe/case/): a new kind comes last. */
enum observation_kind {
    OBSERVED_CONNECTION,  /* the tool's own session changed its state */
    OBSERVED_SERVER,      /* one server's report about itself */
    OBSERVED_ELECTION,    /* this election is watched from now on */
    OBSERVED_DROPPED,     /* this election is no longer watched */
    OBSERVED_CHILDREN,    /* the complete list of children of a directory, with its Stat */
    OBSERVED_NODE,        /* one znode exists: Stat, and its data where has_data */
    OBSERVED_ABSENT,      /* one znode does not exist */
    OBSERVED_DENIED,      /* permission to read one znode is denied */
    OBSERVED_UNREAD,      /* facts about one znode may no longer hold: the servers do not answer requests
                             about it, for a reason unrelated to it */
    OBSERVED_GAP,         /* the observer was not running for gap_us until now */
    OBSERVED_CONNECTIONS, /* the connections that one server holds */
    OBSERVED_WATCHES,     /* the data and exists watches that one server holds */
    OBSERVED_SESSIONS,    /* the sessions of the ensemble, from ZooKeeper's own leader */
    OBSERVED_HIDDEN,      /* one of these three lists is unavailable from a server, and why */
    OBSERVED_REPLICA,   /* an election's own znode as one particular server shows it, or the end of a round */
    OBSERVED_TICK,      /* only time has passed */
    OBSERVED_SILENCE,   /* our session's server is connected and does not answer, or answers again */
    OBSERVED_CLEARED,   /* a person says that a candidate (path) wakes after all */
    OBSERVED_ENSEMBLE,  /* the members of the ensemble, as far as known */
    OBSERVED_LOAD,      /* one server's workload, and its limits */
    OBSERVED_BAD_REPLY, /* a server sent an invalid ZooKeeper reply */
    OBSERVED_TRANSACTION, /* from a server's transaction log, or a capture: the effect of one transaction on
                             a znode (path), or, without a path, that the log was read up to it */
    OBSERVED_READ,        /* the complete state of this moment was needed: see model_catch_up() */
    OBSERVED_CAPTURED,    /* what packets show of one session */
    OBSERVED_CLOCK /* how far a server's wall clock is from the observer's, if they differ; and each change */
};

/* Of the tool's own session. */
enum connection_state {
    /* Not connected (yet, or any more); the session may still be alive. Next: CONNECTED at a server that knows
     * the session or creates one, EXPIRED at one that does not know it any more, REFUSED. */
    CONNECTION_CONNECTING,
    /* Reads, and hears its watches. Next: CONNECTING when the connection is lost or the server is silent. */
    CONNECTION_CONNECTED,
    /* The session has ended, and its watches with it; a new one is being created. Next: CONNECTED, REFUSED. */
    CONNECTION_EXPIRED,
    /* Authentication failed: it does not recover by itself. Next: nothing, until the program is restarted. */
    CONNECTION_REFUSED
};

enum server_mode {
    SERVER_UNKNOWN,
    SERVER_STANDALONE,
    SERVER_LEADER,
    SERVER_FOLLOWER,
    SERVER_OBSERVER,
    SERVER_READ_ONLY
};

/* Whether the known servers hold all connections. */
enum ensemble_known {
    ENSEMBLE_UNKNOWN, /* its members are not known */
    ENSEMBLE_WHOLE,   /* /zookeeper/config names no other */
    ENSEMBLE_PART     /* /zookeeper/config names others */
};

struct observed_connection {
    enum connection_state state;
    uint64_t session;   /* our session's id; 0: none yet */
    int timeout_ms;     /* negotiated; 0: unknown */
    const char *server; /* the connected address, or NULL */
    int64_t silent_us; /* disconnected: how long the server was silent; 0: it was active until now. Connected:
                          how long it was stalled before it continued */
    const char *problem; /* why it is not connected, for the user ("no quorum", "connection refused"). If
                            connected: why nothing is visible (no such chroot), or not everything (an
                            unreadable directory); or NULL */
    bool sees_all;       /* connected: the problem hides nothing, but names what deserves a look */
    bool no_chroot;      /* connected: the problem is that the chroot does not exist */
};

struct observed_server {
    const char *address; /* host:clientport, as configured or discovered */
    bool unasked;        /* its health was not polled, so it is unknown whether it answers */
    bool reachable;      /* it answered; if it was not polled: our own session is connected to it */
    enum server_mode mode;
    int64_t answer_us;   /* how long its last cheap answer took; -1: unknown */
    int64_t zxid;        /* -1: unknown */
    int connections;     /* -1: unknown */
    int tick_ms;         /* its tickTime; 0: unknown */
    const char *version; /* or NULL */
    const char *problem; /* NULL: healthy */
};

/*
 * A server's load, by its own figures; -1: unknown. Latencies are those of its answers to clients since it
 * started, or since they were reset.
 */
struct server_load {
    int64_t id; /* server.ID of its configuration */
    int64_t uptime_ms;
    int64_t latency_min_us, latency_avg_us, latency_max_us;
    int64_t outstanding;                 /* requests in its queue */
    int64_t znodes, ephemerals, watches; /* watches: including child watches */
    int64_t address_connections_most; /* maxClientCnxns: connections from one client address; 0: no limit */
    int64_t slow_fsyncs; /* since it started: disk writes that took longer than its fsync.warningthresholdms;
                            only from AdminServer's server_stats */
};

#define SERVER_LOAD_UNKNOWN ((struct server_load){-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1})

/* Clocks that differ by less count as equal: a server tells its time to the second, and the network delays it. */
#define CLOCKS_EQUAL_US INT64_C(2000000)

/* A clock that is further away than 100 years shows no time. */
static inline bool clock_is_near(int64_t ahead_us)
{
    const int64_t most_us = INT64_C(100) * 366 * 86400 * 1000000;
    return ahead_us <= most_us && ahead_us >= -most_us;
}

struct observed_clock {
    const char *address; /* as in OBSERVED_SERVER */
    int64_t ahead_us;    /* of the observer's; 0: they are about equal */
};

struct observed_load {
    const char *address; /* as in OBSERVED_SERVER */
    bool part;           /* only some were polled: the others are unchanged */
    struct server_load load;
};

/*
 * One connection as its server lists it (AdminServer's "connections", the four-letter word "cons"). A ping
 * changes everything except last_cxid, which belongs to the last real request. last_zxid is then the server's
 * last transaction, so that request was answered no later.
 */
struct seen_connection {
    uint64_t session;             /* 0: none (yet) */
    const char *client;           /* "10.0.3.17:51234" */
    int64_t established_ms;       /* the server's wall clock; identifies a connection, together with client */
    int64_t last_response_ms;     /* the server's monotonic clock */
    int64_t last_cxid, last_zxid; /* -1: unknown */
    int timeout_ms;               /* negotiated */
    int outstanding;              /* requests in its queue; -1: unknown */
    const char *last_operation;   /* "DELE", "PING", ...; or NULL */
};

struct observed_connections {
    const char *address; /* of the server, as in OBSERVED_SERVER */
    const struct seen_connection *list;
    size_t count;
    int64_t now_ms;       /* the server's monotonic clock when it answered; -1: unknown (then the largest
                             last_response_ms is a lower bound) */
    int64_t now_age_us;   /* its maximum age when the list was requested */
    int64_t took_us;      /* until the answer was complete */
    int64_t own_children; /* the number of our own child watches among those counted before its latest list of
                             watches; a lower bound, 0 also if unknown */
    const uint64_t *own_sessions; /* the sessions of this program, here or on other servers */
    size_t own_session_count;
    uint32_t source;  /* see observed_watches */
    int64_t own_zxid; /* our sessions had seen this transaction when their requests were answered, before or
                         by the list's request; 0: unknown, or some sessions are not here */
};

struct seen_watches {
    uint64_t session;
    const char *const *paths; /* full paths */
    size_t count;             /* 0: the session had watches, and all have fired */
    const uint8_t *kinds;     /* of each, an enum watch_kind; NULL: data watches, and others may be hidden */
};

struct observed_watches {
    const char *address;
    const char *from; /* "adminserver" or "four-letter" */
    uint32_t source;  /* of the port that answered. With forwarded ports, two ports may belong to two servers
                         if the wrong AdminServer was used */
    const struct seen_watches *list;
    size_t count;
    int64_t child_watches; /* of that server, without owners: zk_watch_count minus these; -1: unknown */
    int64_t counted_us; /* the earliest time of that count, on the observer's monotonic clock; 0: unknown */
};

/* Servers that it does not list have left. */
struct observed_ensemble {
    const char *const *addresses; /* as in OBSERVED_SERVER */
    size_t count;
    enum ensemble_known known;
};

/*
 * One session as ZooKeeper's leader lists it. It expires at its end time. Any contact with any server
 * postpones that to a timeout later, rounded up to whole ticks.
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
    const char *problem; /* "AdminServer does not answer on port 8080", and the setting to change */
};

/*
 * An election's own znode, read from one server: in a new session with only that server, begun after every
 * read of the previous round had been answered, and after a sync. So the server has applied at least
 * everything that any server showed in an earlier round (replicas.h draws conclusions from this).
 */
struct observed_replica {
    uint32_t round;                /* increases by one per round, from 1 */
    const char *address;           /* of the server; NULL: the round is over (and no election is named) */
    const struct znode_stat *stat; /* NULL: the znode does not exist there */
};

/* Why an election is watched. Recorded by number: the next one comes last. */
enum election_origin {
    ORIGIN_CONFIGURED, /* named by the user, by path */
    ORIGIN_PATTERN,    /* matched a path with * or ? */
    ORIGIN_DISCOVERED, /* found by walking the tree */
    ORIGIN_EXPECTED,   /* of a pattern that ends in a name: it belongs into a directory that exists */
    ORIGIN_ORPHANED    /* the same, and that directory is gone */
};

struct observed_election {
    enum election_origin origin;
    const struct election_settings *settings; /* kind, recipe, allowances ...; its path may be a pattern */
};

struct observed_children {
    const struct znode_stat *stat; /* of the directory, from the same answer */
    char *const *names;            /* in no particular order */
    size_t count;
    int64_t synced_us; /* when the sync before this list was requested, on the observer's monotonic clock:
                          earlier facts of the servers are no later. 0: no sync */
};

/* Files keep these numbers. */
enum unread_part {
    UNREAD_LIST,      /* the election's list, or for a lock the lock */
    UNREAD_ACK,       /* its acknowledgement or its registry */
    UNREAD_NO_ROOM,   /* the list, of which a capture has left out some */
    UNREAD_NOT_LISTED /* the list, which no answer of a capture has shown since some of it went unseen */
};

struct observed_unread {
    enum unread_part part;
};

struct observed_bad_reply {
    const char *address; /* of the server, as in OBSERVED_SERVER */
    const char *what;    /* "children count -1 in 88 bytes" */
};

enum transaction_deed {
    DEED_NONE,
    DEED_DELETED, /* a request deleted the znode */
    DEED_CLOSED,  /* the client closed its session, which removed the znode */
    DEED_EXPIRED  /* the servers expired its session, which removed the znode */
};

/* A server logs a transaction before it takes effect: a znode's end in the log is certain, unless it is
 * unproven. */
struct observed_transaction {
    int64_t zxid;
    bool unproven; /* a single server wrote it, perhaps without a quorum */
    enum transaction_deed deed;
    uint64_t session;  /* of the request; for DEED_CLOSED and DEED_EXPIRED the session that ended */
    int64_t czxid;     /* of the removed znode; 0: unknown */
    int timeout_ms;    /* of the owner's session; 0: unknown */
    bool stalled;      /* ZooKeeper's leader wrote nothing for so long before that it may not have worked, and
                          so may have ended a session that had not fallen silent */
    int64_t active_us; /* the owner's latest earlier transaction, on the observer's monotonic clock: proof
                          that the client was alive then; 0: unknown */
    bool captured;     /* from packets: zxid is that of the latest reply, and the znode's end is at gone_us */
    int64_t heard_us;  /* captured: the latest packet of the owner; 0: unknown */
    int64_t
        gone_us; /* captured, to the packet; 0: it was found out later. Of a log: it was written then, before
                          the log was followed; 0: just now */
    const char *identity; /* of the removed znode's client, as its creation says; or NULL */
    uint64_t owner;       /* its own session, as its creation says; 0: unknown */
};

enum watch_kind { WATCH_DATA, WATCH_CHILDREN, WATCH_PERSISTENT, WATCH_RECURSIVE };

/* WATCH_DATA: set by exists, too. */
struct captured_watch {
    char *path;
    enum watch_kind kind;
    int64_t since_us;
};

enum captured_step {
    CAPTURED_STATE,    /* its connection, or its watches, changed */
    CAPTURED_NOTIFIED, /* its client was notified of a change of path */
    CAPTURED_REACTED,  /* the next request of a client that was notified; path: of this only */
    CAPTURED_OVER,     /* its client learned that the session is over */
    CAPTURED_ANSWERED, /* its requests since it was notified of path, and the slowest answer, so far */
    CAPTURED_WROTE,    /* it asked for this at that time, and path was written */
    CAPTURED_LEARNED, /* it may have been shown that its znode is gone: by a list or a read of path, or, without one,
                          by what was not captured */
    CAPTURED_MISSING, /* packets of its client are missing: it may have sent requests */
    CAPTURED_APART    /* it was notified of path by another clock than that of the znode's end */
};

/* The state is that after the step; ANSWERED and the later ones list no watches. Of session 0, beside a live cluster:
 * the packets of this server are read, or (not connected) no longer; watches_known: of all its connections. */
struct observed_captured {
    enum captured_step step;
    const char *address; /* of the server, from the packets or the capture's name */
    uint64_t session;
    const char *client; /* NULL: of session 0 */
    int timeout_ms;
    bool connected;
    bool watches_known; /* they are all of this connection */
    const struct captured_watch *watches;
    size_t count;
    int64_t heard_us; /* its client's latest bytes, on the observer's monotonic clock */
    int64_t asked_us; /* ... and its latest request that was no ping; 0: not known */
    int requests;     /* ANSWERED; and the next one */
    int64_t slowest_us;
};

struct observed_node {
    const struct znode_stat *stat;
    bool has_data;    /* false: only its Stat was read */
    const void *data; /* may be NULL if its length is 0 */
    size_t data_length;
};

struct observation {
    enum observation_kind kind;
    struct moment at;     /* of a list from a server: when it was requested */
    unsigned cluster;     /* index into the model's clusters */
    const char *election; /* path of its election (full, chroot included); NULL: none */
    const char *path;     /* full path of the znode: the election's own, a child's, its acknowledgement's */
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
        struct observed_captured captured;
        struct observed_clock clock;
        int64_t gap_us;
        struct moment silent_since; /* mono_us 0: it answers */
    };
};

#endif
