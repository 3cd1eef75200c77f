/*
 * failover.h - one change of leader: its phases as intervals, its cause as narrow as its proof.
 *
 * Reported in two steps: EVENT_LEADER_ELECTED at once, and EVENT_FAILOVER once for every change, when the
 * acknowledgement appears or the evidence is complete, at the latest after the allowed failover time.
 *
 * All durations are microseconds on the observer's monotonic clock. A phase that cannot be known at all is
 * SPAN_UNKNOWN; one bound of a phase may be open (SPAN_OPEN).
 */
#ifndef ELECTOP_PROBE_ELECTION_FAILOVER_H
#define ELECTOP_PROBE_ELECTION_FAILOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/election/finding.h"
#include "probe/election/moment.h"

/*
 * ZooKeeper never says to a watcher which client deleted a znode; the servers' connection and session lists
 * do, for a moment. A cause without proof is reported wider: DELETED covers RESIGNED and EVICTED, ENDED
 * covers CLOSED and EXPIRED and deletions followed by the session's end at once, UNKNOWN all of them.
 */
enum failover_cause {
    CAUSE_UNKNOWN,
    CAUSE_DELETED,  /* the owner's session lived on */
    CAUSE_RESIGNED, /* ... and it deleted the znode itself */
    CAUSE_EVICTED,  /* ... and another client did */
    CAUSE_ENDED,    /* the owner's session is over */
    CAUSE_CLOSED,   /* ... its client closed it, and with it the znode went */
    CAUSE_EXPIRED,  /* ... it was silent for its timeout */
    CAUSE_COUNT
};
/* The contract's word: "expired". */
const char *failover_cause_word(enum failover_cause cause);
/* May a leader that went this way have been gone before its znode was? Else there was nothing to detect. */
bool failover_has_detection(enum failover_cause cause);

#define SPAN_OPEN (-1)
struct span {
    int64_t low_us, high_us; /* either SPAN_OPEN: no such bound is known; both: nothing is known */
};
#define SPAN_UNKNOWN ((struct span){SPAN_OPEN, SPAN_OPEN})

struct failover {
    char *from, *from_identity; /* names; identities may be NULL */
    char *to, *to_identity;
    struct moment lost_at;    /* the leader's znode was seen gone */
    struct moment elected_at; /* the next one was first */
    enum failover_cause cause;
    enum certainty cause_certainty;
    char *evidence; /* for people; or NULL */
    struct span detection, vacancy, takeover, total;
    int64_t gap_us;  /* > 0: found after a gap of this length; counted apart, and in no statistics */
    uint64_t serial; /* of its cluster; 0: it has none. What is kept does not change any more */
};

/* A copy with separate texts. */
void failover_copy(struct failover *to, const struct failover *from);
/* Frees its texts. */
void failover_release(struct failover *failover);

/*
 * Durations of failovers: counts and percentiles, by cause and in all.
 *
 * A percentile is an interval, since its members are: its lower bound is that percentile of all lower bounds,
 * its upper one that of all upper ones. The true one lies between them, whatever the members really were. An
 * upper bound is SPAN_OPEN where a member's open one reaches it.
 *
 * Failovers found after a gap (gap_us > 0), and those without any known duration, are in no figure.
 */

struct failover_figures {
    size_t count;                   /* 0: all of them are SPAN_UNKNOWN */
    struct span p50, p90, p99, max; /* the nearest rank: no value that did not occur */
};

struct failover_stats {
    struct failover_figures all, by_cause[CAUSE_COUNT];
};

/* One failover as the statistics see it. */
struct failover_sample {
    enum failover_cause cause;
    struct span length;
};

/*
 * Its total; or, in a layout without an acknowledgement, detection and vacancy (of one that may have expired,
 * and whose detection is not known, there is no upper bound). False: it is in no statistics.
 */
bool failover_sample_of(const struct failover *failover, struct failover_sample *sample);

void failover_stats_make(const struct failover_sample *samples, size_t count, struct failover_stats *stats);

/* Which of so many, from the shortest (0), a percentile is: the nearest rank. */
size_t failover_stats_rank(size_t count, unsigned percent);

/* So many changes of leader an hour; negative: too little was watched to say. */
double failover_rate(size_t changes, int64_t watched_us);

#endif
