/*
 * failover_judge.h - from facts about a leader before and after its znode went: the cause, and for
 * how long it had been dead by then. Pure, and without the model: tests judge tables of evidence.
 *
 * All times are microseconds on the observer's monotonic clock; 0: not known.
 */
#ifndef ELECTOP_PROBE_ELECTION_FAILOVER_JUDGE_H
#define ELECTOP_PROBE_ELECTION_FAILOVER_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/election/failover.h"
#include "probe/election/observation.h"

enum session_fate { FATE_UNKNOWN, FATE_ALIVE, FATE_OVER };

struct failover_evidence {
    int64_t since_us, gone_us; /* its znode went between these: the same where it was seen going */
    bool displaced;            /* its znode still exists, behind another one */
    bool no_session;           /* its znode was persistent */
    uint64_t session;
    int timeout_ms, tick_ms; /* negotiated; of the servers. 0: not known */

    /* Before: the latest list that showed its connection was asked for at looked_us, and its server had last
       heard it between heard_low_us and heard_high_us. parted_us: a later list without it had come by then.
     */
    int64_t looked_us, heard_low_us, heard_high_us, parted_us;
    const char *server; /* that listed it; or NULL */
    /* That server reports only now and then to ZooKeeper's leader, which counts the timeout, which sessions
       it heard, and may have died before it did, though it serves again by now. */
    bool unreported;
    /* ZooKeeper's leader, or the server, may have changed since it was last heard: timeouts began anew. */
    bool restarted;

    /* After. fate_us: what shows its session's fate was asked for then. */
    enum session_fate fate;
    int64_t fate_us;
    const char *alive_by; /* static: "stands in another election"; NULL: it is listed */
    bool together;        /* the change that took its znode ended its session, too */
    bool resigned;        /* the change that took its znode is a deletion by its own connection */
    uint64_t deleter;     /* ... by this one's; 0: not known */
    bool idle;            /* its connection made no request between a list before and one after */

    /* From a server's transaction log, which is certain, unless one server alone wrote it and may have been
       deposed by then. */
    enum transaction_deed logged;
    bool logged_unproven;
    uint64_t logged_session; /* that deleted it, or that ended */
    int64_t logged_zxid;
};

/* Cause, certainty and detection. A cause without proof is reported wider. */
void failover_judge(const struct failover_evidence *failover_evidence, struct failover *failover);

/* For people: its evidence. Returns buffer; "" if there is none. */
const char *failover_evidence_describe(const struct failover_evidence *failover_evidence,
                                       enum failover_cause cause, char *buffer, size_t size);

/* Its client closed its session, though perhaps only after its znode had been deleted: it was not dead. */
bool failover_was_closed(const struct failover_evidence *failover_evidence);

/* The three phases as one; detection counts only where it may have been there at all. Without a takeover
   there is none. */
struct span failover_total(const struct failover *failover);

/* A leader that was silent for this long has certainly expired: timeout, the servers' rounding,
   and their delay. -1: not known. */
int64_t failover_expiry_most_us(int timeout_ms, int tick_ms);

#endif
