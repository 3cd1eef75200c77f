/*
 * captured.h - what packets show of sessions: their watches, who was notified of the end of a leader, when that
 * client reacted, and when a former leader learned that its session is over. Private to the model.
 */
#ifndef ELECTOP_PROBE_ELECTION_CAPTURED_H
#define ELECTOP_PROBE_ELECTION_CAPTURED_H

#include "probe/election/findings.h"
#include "probe/election/observation.h"

struct captured;

void captured_free(struct captured *captured); /* NULL is fine */

/* Packets of its sessions were observed. */
bool cluster_is_captured(const struct cluster *cluster);
/* Takes OBSERVED_CAPTURED. */
void captured_observe(struct cluster *cluster, const struct observation *observation);
/* The leader of election->change is lost, because its session expired, or (evicted) another session deleted its znode;
 * that went at gone_us. elsewhere: its connection had ended before, and it may have gone on, and resigned, unseen. */
void captured_lost(struct election *election, uint64_t session, int64_t gone_us, bool evicted,
                   bool elsewhere);

/* What a session has in elections; LOST: it led, its znode was deleted, and it has not learned that yet. */
enum captured_stand { STANDS_NOT, STANDS_IN_LINE, STANDS_FIRST, STANDS_LOST };
enum captured_stand captured_stands(const struct cluster *cluster, uint64_t session);

/* When this session was notified of that loss, and when it reacted: after gone_us, in microseconds, 1 at least;
 * 0: not known. */
void captured_phases(const struct election *election, const char *lost, uint64_t session, int64_t gone_us,
                     int64_t *notified_us, int64_t *reacted_us);

/* The clients that the end of a leader woke, and what they asked in the second after: without its own (session), and
 * without observers. */
struct captured_herd {
    size_t clients;
    int requests;
    int64_t last_us;    /* when the last of them reacted, after gone_us; 0: one has not */
    int64_t slowest_us; /* the slowest answer; 0: none is known */
    bool answered;      /* each of them got one */
};
struct captured_herd captured_herd(const struct election *election, const char *lost, uint64_t session,
                                   int64_t gone_us);

/* Candidates that were notified and do nothing; two leaders at a time. */
void captured_diagnose(struct diagnosis *diagnosis);

#endif
