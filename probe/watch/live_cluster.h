/*
 * live_cluster.h - one live cluster: its sessions, all watches and polls, and the receiver of its
 * observations.
 *
 * live_cluster.c owns the sessions and all of the following: election_watch.c watches one election;
 * discover.c finds elections by walking the tree, pattern.c by a path with wildcards; ensemble_watch.c polls
 * the servers; replica_check.c compares their data. Paths in this folder are full paths: they begin with the
 * chroot.
 */
#ifndef ELECTOP_PROBE_WATCH_LIVE_CLUSTER_H
#define ELECTOP_PROBE_WATCH_LIVE_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "config/hash_table.h"
#include "probe/election/directory_kind.h"
#include "probe/election/model.h"
#include "probe/zookeeper/read_account.h"
#include "probe/zookeeper/session.h"

/*
 * The receivers of notifications, by path.
 *
 * A ZooKeeper notification carries only a path. An entry names the receiver for a path. It stays until it is
 * removed, whether or not a watch is set at the moment. The entry is part of its owner's struct; the map
 * allocates only the copy of the path.
 */

struct watch_entry {
    char *path; /* NULL: not in the map */
    void (*notice)(void *context, enum session_notice);
    void *context;
    struct hash_link by_path;
};

struct watch_map {
    struct hash_table by_path;
};

/* Puts entry under path, and removes it from its previous path. */
void watch_map_put(struct watch_map *map, struct watch_entry *entry, const char *path);
void watch_map_remove(struct watch_map *map, struct watch_entry *entry);

/* Calls every entry of that path. Handlers may add and remove entries. */
void watch_map_notify(struct watch_map *map, enum session_notice notice, const char *path);

/* Iterates over the entries of a path: pass NULL for the first; NULL is returned after the last. */
struct watch_entry *watch_map_next(const struct watch_map *map, const char *path,
                                   const struct watch_entry *after);

/* Frees the map's own memory. Entries still in the map are only forgotten. */
void watch_map_clear(struct watch_map *map);

struct election_watch;
struct pattern;
struct discover;
struct observer_watch;
struct ensemble_watch;
struct replica_check;

/*
 * One session of this program. Only a very large number of elections needs more than one: after a lost
 * connection the client library sends all watches of a session again in one packet, and servers always refuse
 * packets above 1 MB (jute.maxbuffer).
 */
struct session_shard {
    struct live_cluster *live;
    struct session *session;
    size_t path_bytes; /* of the watches to send again after a lost connection */
    bool counted;      /* has been connected: its losses count as the cluster's */
    uint64_t id;       /* of its latest session, even if that has ended: for the log */
    struct observer_watch *observer;
    char *refusing; /* why its server leaves requests unanswered; or NULL */
    bool syncing, sync_again;
    int64_t synced_us; /* when the latest sync was requested */
    int64_t moved_us;  /* when this session reconnected; 0: it has had only one connection */
};
#define SESSION_SHARDS_MOST 16
#define SESSION_SHARD_PATH_BYTES 600000

struct log_follower;
struct capture_follower;

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
    struct read_account *account; /* of the reads of all its sessions */
    struct watch_map watches;
    struct watch_entry chroot_entry; /* waits for the chroot to appear */
    bool chroot_missing;
    char *misnamed;     /* the complaint about a child that no request can name; NULL: no list had one */
    char *misnamed_at;  /* the directory of that child */
    bool misnamed_more; /* other lists had some, too */
    bool cut;           /* the snapshot ended before discovery had finished */
    /* Set by the owner, or NULL: called before any pending input is read. */
    void (*reading)(void *context);
    void *context;

    struct election_watch **elections;
    size_t election_count, election_room;
    size_t incomplete_from; /* the first election that was incomplete at the last check */
    struct election_watch *reading_first, *reading_last; /* elections with candidates to read, in turn */
    size_t reads;                                        /* their requests under way */

    struct pattern **patterns;
    size_t pattern_count;
    struct discover *discover;
    struct ensemble_watch *servers;
    bool candidates_changed;          /* since the servers were last notified */
    bool leader_missed;               /* a leader's connection has just disappeared from a server's list */
    struct log_follower *log;         /* NULL: no transaction log is followed */
    struct capture_follower *packets; /* NULL: no capture is */
    struct replica_check *replicas;   /* NULL: not compared */
    uv_timer_t *slow;                 /* housekeeping every few seconds */
    uv_timer_t *pulse;                /* checks that our server answers; NULL: no user is watching */
    struct moment asked;              /* the time of an unanswered probe; mono_us 0: it was answered */
    int unanswered;                   /* timer turns since that probe */
};

/* The cluster's name in the log: its configured name, or its address. */
const char *live_name(const struct live_cluster *live);

/* An observation of this cluster, made now. */
struct observation live_observation(const struct live_cluster *live, enum observation_kind kind,
                                    const char *election, const char *path);

/* Passes an observation of this cluster to the model. */
void live_observe(const struct live_cluster *live, const struct observation *observation);

/* Reports an invalid reply of this server. server: the session's name for it. */
void live_bad_reply(const struct live_cluster *live, const char *server, const char *what);

/* Shows the path among the elections as denied, until a later call lifts that: something there is unreadable,
 * and its contents are unknown. */
void live_show_denied(struct live_cluster *live, const char *path, const struct election_settings *settings,
                      enum election_origin origin, bool denied);

/* The election at this full path is watched. */
bool live_watches(const struct live_cluster *live, const char *path);

/* Results of reads from before the election was watched: its children, and one child. Borrowed. */
struct election_seen {
    struct moment listed, read; /* when each answer arrived */
    struct znode_stat stat;
    char *const *names;
    size_t count;
    const char *child; /* its full path; its watch is set */
    const struct znode_stat *child_stat;
    const void *data; /* of that child */
    size_t length;
};

/* Starts to watch the election at this full path; does nothing if it is watched already. If seen is given,
 * its list is not read again: for a single snapshot only. */
void live_cluster_watch(struct live_cluster *live, const char *path, const struct election_settings *settings,
                        enum election_origin origin, const struct election_seen *seen);
/* The result of discover_left_out() has changed. */
void live_cluster_left_out(struct live_cluster *live);

/* ---- for the monitor ---- */

/* The cluster at settings->clusters[cluster]. It feeds model, and learns from the model what to read next. It
 * runs on the loop until live_stop(). NULL: no file descriptor is left; or, with a text in *error (caller frees), a
 * capture cannot be read. */
struct live_cluster *live_new(uv_loop_t *loop, struct model *model, const struct settings *settings,
                              unsigned cluster, char **error);
/* Stops all observations and frees the cluster. */
void live_stop(struct live_cluster *live);

/* One complete snapshot of everything watched has been taken, or cannot be taken. An unreachable cluster may
 * still become reachable, so a caller that waits needs a deadline. */
bool live_complete(struct live_cluster *live);
/* Of a complete snapshot: when a comparison of the servers' data may add to it (replica_check_due_ms()). */
uint64_t live_comparison_due_ms(struct live_cluster *live);
/* Polls the servers now for everything, including facts that are polled only on demand. */
void live_ask(struct live_cluster *live);
/* Some answers to live_ask() are still missing. */
bool live_is_asking(const struct live_cluster *live);
/* Adds an election known from another source, by full path. It is watched if discovery or a pattern would find
 * it. */
void live_known(struct live_cluster *live, const char *path);
/* The progress of discovery; valid until the loop continues. False: discovery is off. */
bool live_discovery(const struct live_cluster *live, struct discovery *state);
/* Ends the snapshot, complete or not. True: discovery was still running; this is recorded as a problem of the
 * cluster. */
bool live_cut(struct live_cluster *live);
/* A user is watching: silence of our session's server is noticed within a second, at the cost of up to three
 * empty reads a second. */
void live_attend(struct live_cluster *live);
/* The program was stalled: all earlier facts may have changed, and are read again. */
void live_woke(struct live_cluster *live);

#endif
