/*
 * subject_inner.h - one subject: what its parts share. Nobody else includes it.
 *
 * subject.c waits for what must be known at once, and lists the candidates; subject_reads.c reads single
 * ones; subject_registry.c follows the directory that a leader acknowledges in.
 */
#ifndef ELECTOP_PROBE_SOURCE_SUBJECT_INNER_H
#define ELECTOP_PROBE_SOURCE_SUBJECT_INNER_H

#include "probe/source/subject.h"

/* A znode whose change must be known at once. */
struct guard {
    struct subject *subject;
    struct watch_entry entry;
    unsigned asked; /* answers still owed */
    bool armed;     /* its watch is set, or on its way */
    bool refused;   /* it may not be read: only its end and its changes are waited for */
};

enum { GUARD_LEADER, GUARD_MARK, GUARD_SELF, GUARD_COUNT };

struct subject {
    /* What was read may ask for other watches and further reads: sets and begins them (subject.c). */
    void (*reconcile)(struct subject *);
    struct live *live;
    struct lane *lane; /* whose session watches it */
    char *path;
    struct election *election; /* the model's */
    enum election_origin origin;
    struct watch_entry children; /* of the election itself */
    struct watch_entry registry; /* children of the mark, where it is a directory */
    struct guard guards[GUARD_COUNT];
    uv_timer_t *timer; /* the next list, or the next try */
    bool listing, list_dirty, begun, registry_listing;
    bool confirming, confirm_again;
    bool waking;         /* until the list is read that was asked for after the program had stood still */
    unsigned late_lists; /* asked for before, and still to be answered */
    int64_t armed_us;    /* the watch on its children has been set since then; 0: it may not be */
    int64_t synced_us;   /* when the sync under way was asked for */
    uint64_t listed_ms, absent_ms; /* loop time; absent 0: it is there */
    unsigned chased;               /* dead candidates in a row, since the last list */
    size_t reads;                  /* candidates being read */
    bool queued;                   /* in live's reading list */
    struct subject *reading_next;
    int references; /* answers still owed, and the owner: freed with the last */
    bool ended;
};

/* A request for one of its znodes; frees with free(). */
struct subject_read {
    struct subject *subject;
    char path[];
};

/* A request that will be answered refers to it from now on. */
void subject_hold(struct subject *);
void subject_release(struct subject *);
/* One answer less; false: the subject is not watched any more. */
bool subject_answered(struct subject *);

void subject_observe(struct subject *, struct observation *);
void subject_observe_node(struct subject *, const char *path, enum session_result, const struct znode_stat *,
                          bool has_data, const void *data, size_t length);

/* How much of the election's path stands in front of "/<name>" in its candidates' paths:
   of the root nothing. */
size_t subject_prefix_length(const struct subject *);

#endif
