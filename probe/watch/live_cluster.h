/*
 * live_cluster.h - one live cluster: its sessions, everything that is watched and polled there, and the
 * receiver of its observations.
 *
 * live_cluster.c owns the sessions and all of the following; election_watch.c watches one election;
 * discover.c finds elections by walking the tree, pattern.c by a path with wildcards;
 * ensemble_watch.c polls the servers; replica_check.c compares their data. Paths in here are full
 * paths: they begin with the chroot.
 */
#ifndef ELECTOP_PROBE_WATCH_LIVE_CLUSTER_H
#define ELECTOP_PROBE_WATCH_LIVE_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "probe/election/directory_kind.h"
#include "probe/election/model.h"
#include "probe/zookeeper/session.h"

/*
 * The receivers of notifications, by path.
 *
 * ZooKeeper's notifications carry a path and nothing else. An entry names the receiver for a path,
 * and stays until it is removed, whether a watch is set at the moment or not. It is part of its owner's
 * struct: the map allocates only the copy of the path.
 */

struct watch_entry {
    char *path; /* NULL: not in the map */
    void (*notice)(void *context, enum session_notice);
    void *context;
    uint32_t hash;
    struct watch_entry *next;
};

struct watch_map {
    struct watch_entry **buckets;
    size_t bucket_count, count;
};

/* Puts entry under path (taking it from where it was). */
void watch_map_put(struct watch_map *map, struct watch_entry *entry, const char *path);
void watch_map_remove(struct watch_map *map, struct watch_entry *entry);

/* Calls every entry of that path. Entries may be put and removed meanwhile. */
void watch_map_notify(struct watch_map *map, enum session_notice notice, const char *path);

/* The entries of a path, one after the other: after NULL comes the first, after the last NULL. */
struct watch_entry *watch_map_next(const struct watch_map *map, const char *path,
                                   const struct watch_entry *after);

/* Frees the map's own memory; entries still in it are forgotten. */
void watch_map_clear(struct watch_map *map);

struct election_watch;
struct pattern;
struct discover;
struct observer_watch;
struct servers;
struct replica_rounds;

/*
 * One session of this program. There is more than one only for very many elections: after a lost
 * connection the client library sends all of a session's watches again in one packet, and the servers
 * refuse packets above 1 MB (jute.maxbuffer), for ever.
 */
struct session_shard {
    struct live_cluster *live;
    struct session *session;
    size_t path_bytes; /* of the watches it may have to send again */
    bool counted;      /* has been connected: its losses are the cluster's */
    uint64_t id;       /* of its latest session, also when that is over: for the log */
    struct observer_watch *observer;
    char *refusing; /* its server does not answer all that is asked: in words; or NULL */
    bool syncing, sync_again;
    int64_t synced_us; /* when the latest sync was asked for */
    int64_t moved_us;  /* when this session came back after a lost connection; 0: it has had only one */
};
#define SESSION_SHARDS_MOST 16
#define SESSION_SHARD_PATH_BYTES 600000

struct log_follower;

struct live_cluster {
    uv_loop_t *loop;
    struct model *model;
    const struct settings *settings;
    const struct cluster_settings *cluster;
    unsigned index;          /* of the cluster, in settings and model */
    char *hosts, *chroot;    /* the two parts of the connect string; chroot "" or "/app" */
    struct session *session; /* the first shard's: patterns and discovery use it */
    struct session_shard shards[SESSION_SHARDS_MOST];
    size_t shard_count;
    struct watch_map watches;
    struct watch_entry chroot_entry; /* for its coming */
    bool chroot_missing;
    bool cut; /* a look ended before elections had been searched for everywhere */
    /* Set by the owner, or NULL: called before any pending input is read. */
    void (*reading)(void *context);
    void *context;

    struct election_watch **elections;
    size_t election_count, election_room;
    size_t looked_from;                                  /* the first that was not complete when last asked */
    struct election_watch *reading_first, *reading_last; /* those with candidates to read, in turn */
    size_t reads;                                        /* their requests under way */

    struct pattern **patterns;
    size_t pattern_count;
    struct discover *discover;
    struct servers *servers;
    bool candidates_changed;         /* since the servers were told of it */
    bool leader_missed;              /* a leader's connection has just gone from a server's list */
    struct log_follower *log;        /* NULL: no transaction log is followed */
    struct replica_rounds *replicas; /* NULL: not compared */
    uv_timer_t *slow;                /* housekeeping every few seconds */
    uv_timer_t *pulse;               /* asks whether our server answers; NULL: nobody looks on */
    struct moment asked;             /* ... and it has not answered yet since then; mono_us 0: it has */
    int unanswered;                  /* turns of that timer since */
};

/* The cluster in the log: its name, or where it is. */
const char *live_name(const struct live_cluster *live);

/* An observation of this cluster, made now. */
struct observation live_observation(const struct live_cluster *live, enum observation_kind kind,
                                    const char *election, const char *path);

/* Hands an observation of this cluster to the model. */
void live_observe(const struct live_cluster *live, const struct observation *observation);

/* Reports a reply of this server, by the session's name of it, that is none. */
void live_bad_reply(const struct live_cluster *live, const char *server, const char *what);

/* Shows the path among the elections, as denied, until it is shown as not denied: something there is not
   readable, and its contents are unknown. */
void live_show_denied(struct live_cluster *live, const char *path, const struct election_settings *settings,
                      enum election_origin origin, bool denied);

/* The election at this full path is being watched. */
bool live_watches(const struct live_cluster *live, const char *path);

/* Reads of an election before it was watched: its children, and one of them. Borrowed. */
struct election_seen {
    struct moment listed, read; /* when each answer came */
    struct znode_stat stat;
    char *const *names;
    size_t count;
    const char *child; /* its full path; its watch is set */
    const struct znode_stat *child_stat;
    const void *data; /* of that child */
    size_t length;
};

/* Watches the election at this full path from now on; nothing where it is watched already. Where seen is
   given, its list is not read again: only for one look. */
void live_cluster_watch(struct live_cluster *live, const char *path, const struct election_settings *settings,
                        enum election_origin origin, const struct election_seen *seen);
/* discover_left_out() has another result than before. */
void live_cluster_left_out(struct live_cluster *live);

/* ---- for the monitor ---- */

/* The cluster at settings->clusters[cluster]. It feeds model, and reads from the model what to look at next.
   It runs on the loop until live_stop(). NULL: no descriptor is left. */
struct live_cluster *live_new(uv_loop_t *loop, struct model *model, const struct settings *settings,
                              unsigned cluster);
/* No observation comes any more. Frees it. */
void live_stop(struct live_cluster *live);

/* One complete snapshot of everything it watches has been taken, or certainly cannot be. A cluster that
   cannot be reached may be reached yet: a caller that waits needs a deadline. */
bool live_looked(struct live_cluster *live);
/* Asks the servers now for everything, including facts that are polled on demand only. */
void live_ask(struct live_cluster *live);
/* Some answers to live_ask() have not come yet. */
bool live_is_asking(const struct live_cluster *live);
/* An election exists at this full path, as is known from elsewhere. Where elections are discovered, it is
   watched. */
void live_known(struct live_cluster *live, const char *path);
/* How far the search for elections is, until the loop runs on. False: it does not search. */
bool live_discovery(const struct live_cluster *live, struct discovery *state);
/* The snapshot ends here, complete or not. True: it was still searching for elections, which from now on is
   the cluster's problem. */
bool live_cut(struct live_cluster *live);
/* A person looks on: that the server of our session has fallen silent is known within a second, at the price
   of three empty reads a second. */
void live_attend(struct live_cluster *live);
/* The program was stalled: all earlier facts may have changed, and are read again. */
void live_woke(struct live_cluster *live);

#endif
