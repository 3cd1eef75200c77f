/*
 * event.h - an event that the election model reports once to every sink.
 *
 * An event borrows everything it points to; a sink copies what it keeps.
 */
#ifndef ELECTOP_PROBE_ELECTION_EVENT_H
#define ELECTOP_PROBE_ELECTION_EVENT_H

#include "probe/election/election.h"
#include "probe/election/failover.h"

enum event_kind {
    EVENT_ELECTION_SEEN,
    EVENT_ELECTION_GONE,
    EVENT_CANDIDATE_JOINED,
    EVENT_CANDIDATE_LEFT,
    EVENT_LEADER_LOST,
    EVENT_LEADER_ELECTED,
    EVENT_LEADER_ACKNOWLEDGED,
    EVENT_FAILOVER, /* for every change of leader, when its evidence is complete; first as open without a leader */
    EVENT_CONNECTION,
    EVENT_UNSEEN,
    EVENT_FINDING_RAISED, /* also when it becomes certain, or more severe */
    EVENT_FINDING_CLEARED,
    EVENT_FINDING_MUTED /* identity: the user; detail: the note; after_us: for how long (0: the mute ends) */
};
#define EVENT_KINDS (EVENT_FINDING_MUTED + 1)

struct event {
    enum event_kind kind;
    struct moment at;
    const struct cluster *cluster;
    const struct election *election; /* NULL for EVENT_CONNECTION */
    int64_t czxid; /* the transaction that created the candidates' directory; of a lock, the lock of the
                      candidate, for FAILOVER of the previous leader. 0: unknown */
    /* CANDIDATE_*, LEADER_LOST, LEADER_ACKNOWLEDGED: the candidate. The name is always set, the identity if
     * known. */
    const char *candidate;
    const char *identity; /* CONNECTION: the server, once connected */
    size_t position;      /* from 1, before a departure, after a joining */
    /* LEADER_ELECTED: candidate is the new one. */
    const char *from; /* the previous leader, or NULL */
    const char *from_identity;
    int64_t gap_us; /* the length of the gap in which this happened; 0: observed when it happened. CONNECTION:
                       the length of the gap, or of the silence before a disconnect */
    int64_t after_us; /* LEADER_ELECTED: since the loss; _ACKNOWLEDGED: since it became first; -1: unknown */
    const char *connection; /* CONNECTION: "connected", "disconnected", "expired", "gap" */
    const char *detail;     /* for the user; or NULL. CONNECTION: the reason; LEADER_ACKNOWLEDGED: how many
                               like it were left out */
    uint64_t unseen_joined, unseen_left;
    const struct finding *finding; /* FINDING_* */
    const struct failover
        *failover; /* FAILOVER; candidate and from are the new leader, if any, and the previous
                                        one */
};

/* The word in the JSON contract: "leader-lost". */
const char *event_word(enum event_kind kind);
/* A sentence for the manual. */
const char *event_meaning(enum event_kind kind);

#endif
