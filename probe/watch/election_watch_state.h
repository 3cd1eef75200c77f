/*
 * election_watch_state.h - the state of one watched election. Private to this folder.
 *
 * election_watch.c holds the watches for immediate changes, and lists the candidates; candidate_reads.c reads
 * single ones; registry_watch.c follows the directory that a leader acknowledges in.
 */
#ifndef ELECTOP_PROBE_WATCH_ELECTION_WATCH_STATE_H
#define ELECTOP_PROBE_WATCH_ELECTION_WATCH_STATE_H

#include "probe/election/election.h"
#include "probe/watch/election_watch.h"

/* A znode whose change must be known at once. */
struct node_watch {
    struct election_watch *watched;
    struct watch_entry entry;
    unsigned asked; /* answers still owed */
    bool armed;     /* its watch is set, or on its way */
    bool refused;   /* it may not be read: only its end and its changes are waited for */
};

/* The first ones as election_guard() numbers them. */
enum { GUARD_LEADER, GUARD_MARK, GUARD_SELF = ELECTION_GUARDS, GUARD_COUNT };

/* A directory whose entries name sessions: that of the acknowledgement, or that of the members. */
enum { REGISTRY_MARK, REGISTRY_MEMBERS, REGISTRIES };
struct registry_watch {
    struct election_watch *watched;
    struct watch_entry entry; /* its children */
    bool listing;
};

struct election_watch {
    /* New facts may need other watches and further reads: sets and begins them (election_watch.c). */
    void (*reconcile)(struct election_watch *);
    struct live *live;
    struct lane *lane; /* whose session watches it */
    char *path;
    struct election *election; /* the model's */
    enum election_origin origin;
    struct watch_entry children; /* of the election itself */
    struct registry_watch registries[REGISTRIES];
    struct node_watch guards[GUARD_COUNT];
    uv_timer_t *timer; /* the next list, or the next try */
    bool listing, list_dirty, begun;
    bool confirming, confirm_again;
    bool waking;         /* until the first list requested after the program was stalled has been read */
    unsigned late_lists; /* asked for before, and still to be answered */
    int64_t synced_us;   /* when the sync under way was asked for */
    uint64_t listed_ms, absent_ms; /* loop time; absent 0: it is there */
    unsigned chased;               /* dead candidates in a row, since the last list */
    size_t reads;                  /* candidates being read */
    bool queued;                   /* in live's reading list */
    struct election_watch *reading_next;
    int references; /* answers still owed, and the owner: freed with the last */
    bool ended;
};

/* A request for one of its znodes; frees with free(). */
struct election_watch_read {
    struct election_watch *watched;
    char path[];
};

/* A request that will be answered refers to it from now on. */
void election_watch_hold(struct election_watch *);
void election_watch_release(struct election_watch *);
/* One answer less; false: the subject is not watched any more. */
bool election_watch_answered(struct election_watch *);

void election_watch_observe(struct election_watch *, struct observation *);
void election_watch_observe_node(struct election_watch *, const char *path, enum session_result,
                                 const struct znode_stat *, bool has_data, const void *data, size_t length);

/* The length of the election's path before "/<name>" in its candidates' paths:
   0 for the root. */
size_t election_watch_prefix_length(const struct election_watch *);

#endif
