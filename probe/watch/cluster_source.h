/*
 * cluster_source.h - the shared state of a live source: one cluster's session and the receiver of its
 * observations.
 *
 * live_cluster.c owns the sessions and all of the following; election_watch.c watches one election;
 * pattern.c finds the elections of a path with wildcards; discover.c finds them by walking the tree;
 * ensemble_watch.c polls the servers; replica_check.c compares their data. Paths in here are full
 * paths: they begin with the chroot.
 */
#ifndef ELECTOP_PROBE_WATCH_CLUSTER_SOURCE_H
#define ELECTOP_PROBE_WATCH_CLUSTER_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "probe/election/model.h"
#include "probe/watch/source.h"
#include "probe/watch/watch_map.h"
#include "probe/zookeeper/session.h"

struct election_watch;
struct pattern;
struct discover;
struct observer_mark;
struct servers;
struct replica_rounds;

/*
 * One session of this program. There is more than one only for very many elections: after a lost
 * connection the client library sends all of a session's watches again in one packet, and the servers
 * refuse packets above 1 MB (jute.maxbuffer), for ever.
 */
struct lane {
    struct live *live;
    struct session *session;
    size_t path_bytes; /* of the watches it may have to send again */
    bool counted;      /* has been connected: its losses are the cluster's */
    uint64_t id;       /* of its latest session, also when that is over: for the log */
    struct observer_mark *mark;
    char *refusing; /* its server does not answer all that is asked: in words; or NULL */
};
#define LANES_MOST 16
#define LANE_PATH_BYTES 600000

struct log_follower;

struct live {
    struct source source; /* first: a live source is a source */
    uv_loop_t *loop;
    struct model *model;
    const struct settings *settings;
    const struct cluster_settings *cluster;
    unsigned index;          /* of the cluster, in settings and model */
    char *hosts, *chroot;    /* the two parts of the connect string; chroot "" or "/app" */
    struct session *session; /* the first lane's: patterns and discovery use it */
    struct lane lanes[LANES_MOST];
    size_t lane_count;
    struct watch_map watches;
    struct watch_entry chroot_entry; /* for its coming */
    bool chroot_missing;
    bool cut; /* a look ended before elections had been searched for everywhere */
    /* Watches the election at this full path from now on; nothing where it already is. */
    void (*watch)(struct live *, const char *path, const struct election_settings *, enum election_origin);
    /* What discover_left_out() says is another than before. */
    void (*left_out)(struct live *);

    struct election_watch **subjects;
    size_t subject_count, subject_room;
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
};

/* The cluster in the log: its name, or where it is. */
const char *live_name(const struct live *);

/* An observation of this cluster, made now. */
struct observation live_observation(const struct live *, enum observation_kind, const char *election,
                                    const char *path);

/* Reports a reply of this server, by the session's name of it, that is none. */
void live_bad_reply(const struct live *, const char *server, const char *what);

/* Shows the path among the elections, as denied, until it is shown as not denied: something there is not
   readable, and its contents are unknown. */
void live_show_denied(struct live *, const char *path, const struct election_settings *, enum election_origin,
                      bool denied);

/* The election at this full path is being watched. */
bool live_watches(const struct live *, const char *path);

#endif
