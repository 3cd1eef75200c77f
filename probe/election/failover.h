/*
 * failover.h - one change of leader: its phases as intervals, and its cause as far as proved.
 *
 * Reported in steps: EVENT_LEADER_LOST and EVENT_LEADER_ELECTED at once, and EVENT_FAILOVER when the
 * acknowledgement appears or the evidence is complete, at the latest after the allowed failover time. If there
 * is no leader by then, the failover is open: it is reported as open, and once more, complete, when there is a
 * leader or the election ends.
 *
 * All durations are microseconds on the observer's monotonic clock. A phase that cannot be known is
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
 * A notification does not say which client deleted a znode, but the servers' connection and session lists show
 * it for a moment. A cause without proof is reported wider: DELETED covers RESIGNED and EVICTED; ENDED covers
 * CLOSED, EXPIRED, and deletions followed at once by the session's end; UNKNOWN covers all.
 */
enum failover_cause {
    CAUSE_UNKNOWN,
    CAUSE_DELETED,  /* the owner's session lived on */
    CAUSE_RESIGNED, /* it deleted the znode itself */
    CAUSE_EVICTED,  /* another client deleted the znode */
    CAUSE_ENDED,    /* the owner's session ended */
    CAUSE_CLOSED,   /* its client closed it, which removed the znode */
    CAUSE_EXPIRED,  /* it was silent for its timeout */
    CAUSE_COUNT
};
/* The word in the JSON contract: "expired". */
const char *failover_cause_word(enum failover_cause cause);
/* Whether the leader may have failed before its znode went. If not, there was nothing to detect. */
bool failover_has_detection(enum failover_cause cause);

#define SPAN_OPEN (-1)
struct span {
    int64_t low_us, high_us; /* either SPAN_OPEN: that bound is unknown; both: nothing is known */
};
#define SPAN_UNKNOWN ((struct span){SPAN_OPEN, SPAN_OPEN})

struct failover {
    char *from, *from_identity; /* names; identities may be NULL */
    char *to, *to_identity;     /* NULL: no next leader */
    struct moment lost_at;      /* the leader's znode was seen gone */
    struct moment elected_at;   /* the next leader was first in order */
    enum failover_cause cause;
    enum certainty cause_certainty;
    char *evidence; /* for the user; or NULL */
    struct span detection, vacancy, takeover, total;
    /* From packets: after the znode's end its successor was notified, and sent its next request; in
     * microseconds, 1 at least; 0: not known. */
    int64_t notified_us, reacted_us;
    /* > 0: found after a gap, which began so long before elected_at, or before lost_at where there is no next leader;
     * counted separately, and in no statistics. */
    int64_t gap_us;
    bool in_line; /* candidates stood in line meanwhile, and the first certainly did not lead; not recorded */
};

/* There has been no leader since: its vacancy has an open end. */
bool failover_is_open(const struct failover *failover);
/* Its znode was still there then: found after a gap, it went at some time since. lost_at where that was seen, or where
 * a log tells when; a gap that came later hides only who led meanwhile. */
struct moment failover_lost_after(const struct failover *failover);
/* How long before lost_at that was; 0: it was lost then. */
int64_t failover_lost_within_us(const struct failover *failover);
/* Whether two observers may have seen this one loss, each at its own moment, a few seconds apart. One of them need not
 * know yet who followed. */
bool failover_is_same(const struct failover *one, const struct failover *other);
/* A copy with separate texts. */
void failover_copy(struct failover *to, const struct failover *from);
/* Frees its texts. */
void failover_release(struct failover *failover);

/*
 * Durations of failovers: counts and percentiles, by cause and in total.
 *
 * A percentile is an interval because its members are: its lower bound is that percentile of all lower
 * bounds, its upper bound that of all upper bounds. The true percentile always lies between them. An upper
 * bound is SPAN_OPEN if a member's open bound reaches it.
 *
 * Failovers found after a gap (gap_us > 0), and those without any known duration, are excluded.
 */

struct failover_figures {
    size_t count;                   /* 0: all of them are SPAN_UNKNOWN */
    struct span p50, p90, p99, max; /* the nearest rank: no value that did not occur */
};

struct failover_stats {
    struct failover_figures all, by_cause[CAUSE_COUNT];
};

/* A moment that packets show exactly, as notified_us; 0: not known. */
struct span failover_point(int64_t us);

/* One failover as input to the statistics. */
struct failover_sample {
    enum failover_cause cause;
    struct span length;
};

/*
 * Its total; or, in a layout without an acknowledgement, detection and vacancy (without an upper bound if the
 * leader may have expired and its detection is unknown). False: it is excluded from statistics.
 */
bool failover_sample_of(const struct failover *failover, struct failover_sample *sample);

void failover_stats_make(const struct failover_sample *samples, size_t count, struct failover_stats *stats);

/* Changes of leader per hour; negative: too little time was observed. */
double failover_rate(size_t changes, int64_t watched_us);

#endif
