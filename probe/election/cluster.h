/*
 * cluster.h - the known state of a cluster: its servers, its elections by path, and of all clusters.
 *
 * Plain data, changed only by functions of model_observe() (model.h), and read by anyone.
 */
#ifndef ELECTOP_PROBE_ELECTION_CLUSTER_H
#define ELECTOP_PROBE_ELECTION_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/observation.h"

/* ---- how names and paths are spread over the buckets of tables ---- */

/* Deterministic; the seed only keeps strangers from choosing names that share a bucket. */
uint32_t name_hash(const char *text, size_t length, uint64_t seed);

struct election;
struct event;
struct session_table;
struct failover_case;
struct logged_ends;
struct recipe_book;

/* What the latest round of reading elections' own znodes from each server leaves to be asked. */
enum replicas_next {
    REPLICAS_AGREE,  /* nothing */
    REPLICAS_DIFFER, /* servers showed different things: it may have changed between their reads */
    REPLICAS_BEHIND  /* one shows less than another had shown in the round before */
};

/* How many watches on children a server counted at one time, ours left out. */
#define CHILD_COUNTS_KEPT 8
struct child_count {
    int64_t counted_us; /* 0: none */
    int64_t others;
    int64_t announced; /* where it is proved: what observers had announced */
    bool proved;       /* ... and that held when it was counted */
};

/* The latest answer times that are kept, for a look at their course. */
#define SERVER_ANSWERS_KEPT 32

struct server {
    char *address;
    bool unasked;   /* it was not polled */
    bool reachable; /* see server_reach() */
    enum server_mode mode;
    int64_t answer_us, zxid;
    int32_t answers_us[SERVER_ANSWERS_KEPT]; /* a ring; of this process alone, no recording has them */
    unsigned answer_count;                   /* all that came: the next place is this modulo the ring */
    int connections;
    int tick_ms; /* 0: unknown */
    char *version, *problem;
    struct moment seen;       /* of the last answer, or of the first try without one */
    const char *watches_from; /* "adminserver", "four-letter", or NULL: its watches are not known */
    char *hidden[3];          /* by enum hidden_part: why this could not be had from it; NULL: it could */
    struct moment watches_seen;
    size_t watch_count;       /* data and exists watches */
    int64_t child_watches;    /* their number, without owners; -1: unknown */
    int64_t foreign_children; /* ... and how many of them may belong to others than observers, as of the
                                 connections listed last after that; -1: unknown */
    int64_t announced;        /* ... and to other observers, as these announce */
    struct server_load load;  /* as of load_seen */
    struct moment load_seen;  /* mono_us 0: never */
    struct moment
        slow_fsync; /* load.slow_fsyncs was last seen to rise; mono_us 0: not in SLOW_FSYNC_KEPT_US */
    /* Of the client address with most connections, in the latest list; -1: no list. Its limit is
       load.address_connections_most. */
    int busiest_connections;
    char busiest_address[48];
    /* Replies that were no ZooKeeper replies, since it is watched; -1: not known. */
    int bad_replies;
    struct moment bad_reply_seen;
    char bad_reply[120]; /* what was wrong with the latest */
    /* When it last reported its zxid, it had not carried out this many transactions that another server had
       reported before; 0: none; -1: not known. Where the epoch is another, their number is a lower bound. */
    int64_t lag;
    int64_t lag_us; /* ... the oldest of which was known for so long; 0: none */

    /* The model's own. */
    struct child_count counts[CHILD_COUNTS_KEPT]; /* the latest first */
    struct child_count open_count;                /* our own are still among these */
    uint16_t list_round, watch_round;             /* connection lists and watch lists so far */
    uint32_t list_source;                         /* of the latest connection list */
    struct moment listed, listed_before;          /* the latest two connection lists; mono_us 0: none */
    bool clock_low_known, clock_known;
    int64_t clock_low_us, clock_high_us; /* from its monotonic clock to the observer's, within these */
    int64_t clock_us;                    /* ... as of then */
    struct moment stated;                /* when it last reported its zxid */
    struct moment missed;                /* when it last did not answer; mono_us 0: never */
    int64_t list_took_us;                /* the latest connection list */
    int64_t lasting_us; /* each list since this one shares a connection with the one before: it was not
                           started again meanwhile */
};

/* Bad replies are a finding for this long after the latest. */
#define BAD_REPLIES_KEPT_US (INT64_C(600) * 1000000)

/* A slow write to its disk endangers elections for this long after it was seen. */
#define SLOW_FSYNC_KEPT_US (INT64_C(600) * 1000000)

/* Whether a server answers. One that was not polled is known only by our
   own session there. */
enum server_reach { SERVER_SILENT, SERVER_ANSWERS, SERVER_NOT_ASKED };

/* Our own session had seen all that this transaction and those before it did, when this list came. */
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
    char *name;   /* for people; may be "" for the only one */
    char *hosts;  /* the connect string as given */
    char *chroot; /* "" or "/app" */
    enum connection_state connection;
    bool ever_connected;
    struct moment silent_since;     /* connected, but our server has not answered since; mono_us 0: it does */
    struct moment connection_since; /* it is connected, is not, or is refused for good */
    uint64_t session;
    int timeout_ms;
    char *connected_to;
    char *problem; /* why not connected, or why nothing or not all is to be seen there; or NULL */
    struct server *servers;
    size_t server_count;
    enum ensemble_known ensemble; /* whether these are all of them */
    struct moment stood_still_from,
        stood_still_to;            /* the program itself, the latest time; mono_us 0: never */
    struct session_table *clients; /* the sessions that the servers show: see client.h */
    struct election **elections;   /* those that were named, as they were; then those found, by path */
    size_t election_count, election_room;
    struct election **buckets; /* the model's own: by path */
    size_t bucket_count;
    bool paths_changed;                /* the elections and the paths above them, since the last question */
    struct election *dirty;            /* those to be diagnosed */
    struct failover_case *cases;       /* changes of leader that have not been reported as a whole yet */
    struct transactions *transactions; /* the latest that are known; NULL: none is */
    struct logged_ends *logged;        /* of znodes, as a server's log shows them; NULL: none was read */
    int64_t logged_us;                 /* when a log was read last (monotonic); 0: never */
    struct caught_up caught_up[CAUGHT_UP_KEPT]; /* the latest first */
    struct zxid_report zxids[ZXIDS_KEPT];       /* the latest first */
    int64_t epoch, epoch_us; /* of ZooKeeper's leader, the latest seen, and when another was; 0: never */
    int64_t wake_us;         /* no election's diagnose_at_us is earlier; INT64_MAX: none waits for its time */
    enum replicas_next replicas_next;
    const struct recipe *acks_proved[8]; /* layouts whose acknowledgement was seen here; NULL: no more */
    uint64_t turn;                       /* of the latest observation about all its elections' sessions */
    uint64_t serial;                     /* of the latest election, tenure or failover */
};

/* The state of all clusters; model.h is about it as a whole. */
struct model {
    struct cluster *clusters;
    size_t cluster_count;
    struct recipe_book *recipes;
    bool one_look;     /* there will be no second one (set by a caller that takes only one): suspicions from
                          watches     are reported at once, else after the second look */
    struct moment now; /* of the latest observation */
    const struct model *earlier; /* what a recording knows until then: see baseline.h; or NULL */
    struct moment earlier_until;
    bool earlier_grows;
    uint64_t generation; /* goes up with every change that a screen could show */
    uint64_t turn;       /* goes up with every observation: see the turn of elections and clusters */
    void (*on_event)(void *context, const struct event *);
    void *context;
};

enum server_reach server_reach(const struct cluster *cluster, const struct server *server);
/* One of its elections is there, be it to be read or not. */
bool cluster_shows(const struct cluster *cluster);
/* What it shows was read from servers' logs: it has no session, and no server is asked. */
bool cluster_is_from_logs(const struct cluster *cluster);
/* Of its latest zxid; -1: it has not reported one. */
int64_t server_epoch(const struct server *server);
/* "follower"; NULL: it has not said. */
const char *server_mode_word(enum server_mode mode);

/* The longest tick that a server reports; 0: none does. */
int cluster_tick_ms(const struct cluster *cluster);

/* Inserts it by its origin; the cluster owns it from then on. */
void cluster_add(struct cluster *cluster, struct election *election);
/* Gives it back to the caller. */
void cluster_remove(struct cluster *cluster, struct election *election);
/* By which it finds them. */
uint32_t cluster_path_hash(const char *path, size_t length);
/* The election at exactly this path; NULL: there is none. */
struct election *cluster_election(const struct cluster *cluster, const char *path, size_t length);

/* ---- for the model: its servers, how each is, and what its lists show ---- */

struct observation;

/* By its address; a new one is added. */
struct server *servers_get(struct cluster *cluster, const char *address);
void server_end(struct server *server);
/* How it answers (OBSERVED_SERVER), with an address. */
void servers_stated(struct model *model, struct cluster *cluster, const struct observation *observation);
/* How much work it has (OBSERVED_LOAD), with an address. */
void servers_load(struct model *model, struct cluster *cluster, const struct observation *observation);
/* It sent a reply that is not one (OBSERVED_BAD_REPLY). */
void servers_bad_reply(struct model *model, struct cluster *cluster, const struct observation *observation);
/* One of them did. */
bool servers_sent_bad_replies(const struct cluster *cluster);
/* Its connections, watches or sessions, or why one of these is not available. */
void servers_lists(struct model *model, struct cluster *cluster, const struct observation *observation);
/* The members of the ensemble; other servers are removed. */
void servers_ensemble(struct model *model, struct cluster *cluster, const struct observation *observation);

#endif
