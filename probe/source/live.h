/*
 * live.h - what the parts of a live source share: one cluster's session and where its observations go.
 *
 * live_source.c holds the sessions and all of the following together; subject.c watches one election;
 * pattern.c finds the elections of a path with wildcards; discover.c finds them by walking the tree;
 * servers.c asks the servers about themselves; replicas.c compares what they hold. Paths in here are full
 * paths: the chroot is in front of them.
 */
#ifndef ELECTOP_PROBE_SOURCE_LIVE_H
#define ELECTOP_PROBE_SOURCE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "probe/election/model.h"
#include "probe/source/source.h"
#include "probe/source/watch_map.h"
#include "probe/zookeeper/session.h"

struct subject;
struct pattern;
struct discover;
struct servers;
struct replica_rounds;

/*
 * One session of ours. There is more than one only where very many elections are watched: after a lost
 * connection the client library sends all of a session's watches again in one packet, and the servers
 * refuse packets above 1 MB (jute.maxbuffer), for ever.
 */
struct lane {
    struct live *live;
    struct session *session;
    size_t path_bytes; /* of the watches it may have to send again */
    bool counted;      /* has been connected: its losses are the cluster's */
    uint64_t id;       /* of its latest session, also when that is over: for the log */
    char *refusing;    /* its server does not answer all that is asked: in words; or NULL */
};
#define LANES_MOST 16
#define LANE_PATH_BYTES 600000

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

    struct subject **subjects;
    size_t subject_count, subject_room;
    size_t looked_from;                           /* the first that was not complete when last asked */
    struct subject *reading_first, *reading_last; /* those with candidates to read, in turn */
    size_t reads;                                 /* requests of theirs under way */

    struct pattern **patterns;
    size_t pattern_count;
    struct discover *discover;
    struct servers *servers;
    struct replica_rounds *replicas; /* NULL: not compared */
    uv_timer_t *slow;                /* housekeeping every few seconds */
};

/* The cluster in the log: its name, or where it is. */
const char *live_name(const struct live *);

/*
 * Marks a session of ours as an observer, so that other copies of this program do not take it for a
 * candidate that fell out of line: by a watch on a path that nobody ever creates.
 */
void live_mark_as_observer(const struct live *, struct session *);

/* An observation of this cluster, made now. */
struct observation live_observation(const struct live *, enum observation_kind, const char *election,
                                    const char *path);

/* The path stands among the elections, as denied, until it is shown as not denied: something there may not be
   read, and what it holds is not known. */
void live_show_denied(struct live *, const char *path, const struct election_settings *, enum election_origin,
                      bool denied);

/* The election at this full path is being watched. */
bool live_watches(const struct live *, const char *path);

#endif
