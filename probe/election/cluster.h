/*
 * cluster.h - the known state of a cluster: its servers, its elections by path; and the state of all
 * clusters.
 *
 * Plain data. Only functions of model_observe() (model.h) change it; anyone may read it.
 */
#ifndef ELECTOP_PROBE_ELECTION_CLUSTER_H
#define ELECTOP_PROBE_ELECTION_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/hash_table.h"
#include "probe/election/observation.h"

struct election;
struct event;
struct session_table;
struct failover_case;
struct logged_ends;
struct captured;
struct recipe_book;

/* Whether the latest comparison of elections' own znodes needs another round. */
enum replicas_next {
    REPLICAS_AGREE,  /* nothing */
    REPLICAS_DIFFER, /* servers showed different data: it may have changed between their reads */
    REPLICAS_BEHIND  /* a server shows older data than another had shown in the round before */
};

/* How many child watches a server counted at one time, without ours. */
#define CHILD_COUNTS_KEPT 8
struct child_count {
    int64_t counted_us; /* 0: none */
    int64_t others;
    int64_t announced; /* if proved: the number that observers had announced */
    bool proved;       /* the announcements held when it was counted */
};

/* The number of latest answer times kept, to show their trend. */
#define SERVER_ANSWERS_KEPT 32

struct server {
    char *address;
    bool unasked;   /* it was not polled */
    bool reachable; /* see server_reach() */
    enum server_mode mode;
    int64_t answer_us, zxid;
    int32_t answers_us[SERVER_ANSWERS_KEPT]; /* a ring; of this process only, not in recordings */
    unsigned answer_count; /* all answers so far: the next index is this modulo the ring's size */
    int connections;
    int tick_ms;      /* 0: unknown */
    int64_t ahead_us; /* its wall clock against the observer's; 0: equal, or unknown */
    char *version, *problem;
    struct moment seen; /* of the last answer, or of the first failed poll */
    const char
        *watches_from; /* "adminserver", "four-letter", "capture", or NULL: its watches are not known */
    char *hidden[3];   /* by enum hidden_part: why this is unavailable; NULL: it is available */
    struct moment watches_seen;
    size_t watch_count;       /* data and exists watches */
    int64_t child_watches;    /* their number, without owners; -1: unknown */
    int64_t foreign_children; /* those that may belong to clients other than observers, as of the next list of
                                 connections; -1: unknown */
    int64_t announced;        /* those that belong to other observers, as announced */
    struct server_load load;  /* as of load_seen */
    struct moment load_seen;  /* mono_us 0: never */
    struct moment
        slow_fsync; /* the last time load.slow_fsyncs rose; mono_us 0: not within SLOW_FSYNC_KEPT_US */
    /* Of the client address with most connections in the latest list; -1: no list. The limit is
     * load.address_connections_most. */
    int busiest_connections;
    char busiest_address[48];
    /* The number of invalid replies since it is watched; -1: unknown. */
    int bad_replies;
    struct moment bad_reply_seen;
    char bad_reply[120]; /* the problem of the latest */
    /* The number of transactions it lacked when it last reported its zxid, out of those another server had
     * reported before; 0: none; -1: unknown. If the epochs differ, a lower bound. */
    int64_t lag;
    int64_t lag_us; /* how long the oldest of them had been known; 0: none */

    /* Private to the model. */
    struct child_count counts[CHILD_COUNTS_KEPT]; /* the latest first */
    struct child_count open_count;                /* may still include our own watches */
    uint16_t list_round, watch_round;             /* connection lists and watch lists so far */
    unsigned paths_round;                         /* the session table's, in the latest watch list */
    uint32_t list_source;                         /* of the latest connection list */
    uint8_t whole; /* so many of these in a row had all connections that it counts; it stays at the largest */
    struct moment listed, listed_before; /* the latest two connection lists; mono_us 0: none */
    bool clock_low_known, clock_known;
    int64_t clock_low_us, clock_high_us; /* the range of its clock's offset to the observer's */
    int64_t clock_us;                    /* the time of that range */
    struct moment missed;                /* when it last did not answer; mono_us 0: never */
    int64_t list_took_us;                /* the latest connection list */
    int64_t lasting_us; /* since this list, each list shares a connection with the one before: the server was
                           not restarted */
};

/* Bad replies are a finding for this long after the latest. */
#define BAD_REPLIES_KEPT_US (INT64_C(600) * 1000000)

/* A slow write to its disk endangers elections for this long after it was seen. */
#define SLOW_FSYNC_KEPT_US (INT64_C(600) * 1000000)

/* Whether a server answers. An unpolled server is known only by our own session there. */
enum server_reach { SERVER_SILENT, SERVER_ANSWERS, SERVER_NOT_ASKED };

/* When this list arrived, our own session had seen the effects of this transaction and all before it. */
#define CAUGHT_UP_KEPT 8
struct caught_up {
    int64_t zxid; /* 0: none */
    int64_t at_us;
};

/* The highest transaction that any server had reported by then. */
#define ZXIDS_KEPT 32
struct zxid_report {
    int64_t zxid; /* 0: none */
    int64_t at_us;
};

struct cluster {
    char *name;   /* for the user; may be "" for a single cluster */
    char *hosts;  /* the connect string as given */
    char *chroot; /* "" or "/app" */
    enum connection_state connection;
    bool ever_connected;
    struct moment silent_since; /* connected, but our server has not answered since; mono_us 0: it answers */
    struct moment connection_since; /* connected, disconnected, or refused for good */
    uint64_t session;
    int timeout_ms;
    char *connected_to;
    char *problem;  /* why it is not connected, or why facts are missing; or NULL */
    bool no_chroot; /* connected: its chroot does not exist, so nothing can be there */
    bool sees_all;  /* connected: the problem hides nothing, but names what deserves a look */
    struct server *servers;
    size_t server_count;
    enum ensemble_known ensemble;                   /* whether these are all members */
    struct moment stood_still_from, stood_still_to; /* this program, the latest time; mono_us 0: never */
    struct session_table *clients;                  /* the sessions that the servers show: see client.h */
    struct election **elections; /* configured ones in their order; then discovered ones, by path */
    size_t election_count, election_room;
    struct hash_table by_path;   /* private to the model */
    bool paths_changed;          /* the elections and the paths above them, since the last check */
    struct election *dirty;      /* those to be diagnosed */
    int silent_percent_least;    /* no election allows its leader less silence; 0: there was none */
    struct failover_case *cases; /* changes of leader that are not completely reported yet */
    struct known_transactions *transactions;    /* the latest known ones; NULL: none */
    struct logged_ends *logged;                 /* of znodes, from a server's log; NULL: no log was read */
    struct captured *captured;                  /* evidence from packets; NULL: there were none */
    int64_t logged_us;                          /* when a log was read last (monotonic); 0: never */
    struct caught_up caught_up[CAUGHT_UP_KEPT]; /* the latest first */
    struct zxid_report zxids[ZXIDS_KEPT];       /* the latest first */
    int64_t ahead_us; /* the clock by which znodes are dated, against the observer's; 0: equal, or unknown */
    bool clocks_differ; /* of its servers: znodes of an earlier leader of ZooKeeper may have another one's */
    int64_t epoch, epoch_us; /* of ZooKeeper's leader; when an earlier one was last seen; 0: never */
    int64_t wake_us;         /* no election's diagnose_at_us is earlier; INT64_MAX: none */
    enum replicas_next replicas_next;
    const struct recipe *acks_proved[8]; /* layouts whose acknowledgement was seen here; NULL: no more */
    uint64_t turn;                       /* of the latest observation about all its elections' sessions */
    uint64_t serial;                     /* of the latest election or tenure */
};

/* The state of all clusters; model.h describes its use. */
struct model {
    struct cluster *clusters;
    size_t cluster_count;
    struct recipe_book *recipes;
    bool one_poll; /* there will be only one poll (set by a caller that takes a single snapshot): suspicions
                      from watches are reported at once instead of after the second poll */
    bool finished; /* no observation follows */
    struct moment now;           /* of the latest observation */
    const struct model *earlier; /* the recorded state up to that time: see baseline.h; or NULL */
    struct moment earlier_until;
    bool earlier_grows;
    uint64_t generation; /* increases with every change that a screen could show */
    uint64_t turn;       /* increases with every observation: see the turn of elections and clusters */
    void (*on_event)(void *context, const struct event *);
    void *context;
    /* Called before each observation is folded. Another model that gets the same ones has the same state and
     * events. */
    void (*on_observation)(void *observer, const struct observation *);
    void *observer;
};

enum server_reach server_reach(const struct cluster *cluster, const struct server *server);
/* One of its elections exists, readable or not. */
bool cluster_shows(const struct cluster *cluster);
/* Its facts come from servers' logs: it has no session, and no server is polled. */
bool cluster_is_from_logs(const struct cluster *cluster);
/* The epoch of its latest zxid; -1: none reported. */
int64_t server_epoch(const struct server *server);
/* Its packets show what its clients watch, and it lists nothing itself. */
bool server_is_captured(const struct server *server);
/* "follower"; NULL: unknown. */
const char *server_mode_word(enum server_mode mode);

/* The longest tick that a server reports; 0: none does. */
int cluster_tick_ms(const struct cluster *cluster);

/* When that transaction created or changed a znode, by the observer's clock: a Stat has that of ZooKeeper's leader
 * then. 0: unknown. */
int64_t cluster_stat_us(const struct cluster *cluster, int64_t zxid, int64_t stat_ms);

/* Inserts it by its origin; the cluster owns it from then on. */
void cluster_add(struct cluster *cluster, struct election *election);
/* Its index in cluster->elections, or the index at which it would be inserted if it was discovered. */
size_t cluster_place(const struct cluster *cluster, const struct election *election);
/* Removes it; the caller owns it. */
void cluster_remove(struct cluster *cluster, struct election *election);
/* The hash for finding elections by path. */
uint32_t cluster_path_hash(const char *path, size_t length);
/* The election at exactly this path; NULL: there is none. */
struct election *cluster_election(const struct cluster *cluster, const char *path, size_t length);
/* The election at this path, or in whose directory it lies. *length: that of the election's path; NULL: there is
 * none. */
struct election *cluster_election_around(const struct cluster *cluster, const char *path, size_t *length);

/* ---- for the model: its servers, their health and their lists ---- */

struct observation;

/* By its address; a new one is added. */
struct server *servers_get(struct cluster *cluster, const char *address);
void server_end(struct server *server);
/* Takes a server's health (OBSERVED_SERVER), with an address. */
void servers_stated(struct model *model, struct cluster *cluster, const struct observation *observation);
/* Takes a server's load (OBSERVED_LOAD), with an address. */
void servers_load(struct model *model, struct cluster *cluster, const struct observation *observation);
/* Takes a server's clock (OBSERVED_CLOCK), with an address. */
void servers_clock(struct model *model, struct cluster *cluster, const struct observation *observation);
/* A server sent an invalid reply (OBSERVED_BAD_REPLY). */
void servers_bad_reply(struct model *model, struct cluster *cluster, const struct observation *observation);
/* A server sent invalid replies. */
bool servers_sent_bad_replies(const struct cluster *cluster);
/* Takes its connections, watches or sessions, or why one of these is unavailable. */
void servers_lists(struct model *model, struct cluster *cluster, const struct observation *observation);
/* The members of the ensemble; other servers are removed. */
void servers_ensemble(struct model *model, struct cluster *cluster, const struct observation *observation);

#endif
