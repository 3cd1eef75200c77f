/*
 * failover_judge.h - judges the cause of a leader's end, and how long it had been dead, from facts before and
 * after its znode went. Pure and independent of the model: tests judge tables of evidence.
 *
 * All times are microseconds on the observer's monotonic clock; 0: unknown.
 */
#ifndef ELECTOP_PROBE_ELECTION_FAILOVER_JUDGE_H
#define ELECTOP_PROBE_ELECTION_FAILOVER_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/election/failover.h"
#include "probe/election/observation.h"

enum session_fate { FATE_UNKNOWN, FATE_ALIVE, FATE_OVER };

struct failover_evidence {
    int64_t since_us, gone_us; /* its znode went between these; equal if this was seen */
    bool displaced;            /* its znode still exists, behind another one */
    bool no_session;           /* its znode was persistent */
    uint64_t session;
    int timeout_ms, tick_ms; /* negotiated; of the servers. 0: unknown */
    int ping_ms;             /* it was seen to ping so often; 0: not seen */

    /* Before: the latest list that showed its connection was requested at listed_us, and its server had last
     * heard from it between heard_low_us and heard_high_us. parted_us: a later list without it had arrived by
     * then. */
    int64_t listed_us, heard_low_us, heard_high_us, parted_us;
    int64_t apart_us;   /* since then no list showed its connection, and none had before; 0: not so */
    const char *server; /* the server that listed it; or NULL */
    /* That server reports heard sessions to ZooKeeper's leader, which counts the timeout, only at intervals.
     * It may have failed before its last report, even if it serves again by now. */
    bool unreported;
    /* ZooKeeper's leader, or the server, may have changed since the last contact: timeouts restarted. */
    bool restarted;

    /* After. fate_us: when the proof of its session's fate was requested. */
    enum session_fate fate;
    int64_t fate_us;
    bool hidden;          /* no server shows connections or sessions */
    bool packets;         /* captures are read */
    const char *alive_by; /* static: "is a candidate in another election"; NULL: it is listed */
    bool together;        /* the same transaction removed its znode and ended its session */
    bool resigned;        /* the transaction that removed its znode is a deletion by its own connection */
    uint64_t deleter;     /* it is a deletion by this session's connection; 0: unknown */
    bool idle;            /* its connection made no request between a list before and a list after */

    /* From a server's transaction log. It is certain, unless a single server wrote it that may have been
     * deposed by then. */
    enum transaction_deed logged;
    bool logged_unproven;
    bool logged_stalled;     /* see observed_transaction */
    uint64_t logged_session; /* the session that deleted it, or that ended; 0: unknown */
    bool by_another;         /* it was deleted by another session than its own */
    int64_t logged_zxid;
    /* logged is from packets, not from a log. The znode went at captured_gone_us, and its client's latest bytes came at
     * captured_heard_us; 0: not known to the packet. */
    bool captured;
    int64_t captured_gone_us, captured_heard_us;
};

/* Judges cause, certainty and detection. A cause without proof is reported wider. */
void failover_judge(const struct failover_evidence *failover_evidence, struct failover *failover);

/* Describes its evidence for the user. Returns buffer; "" if there is none. */
const char *failover_evidence_describe(const struct failover_evidence *failover_evidence,
                                       enum failover_cause cause, char *buffer, size_t size);

/* Its client closed its session, though perhaps only after its znode was deleted: it was not dead. */
bool failover_was_closed(const struct failover_evidence *failover_evidence);

/* The sum of the three phases; detection counts only if it is possible at all. Without a takeover there is no
 * total. */
struct span failover_total(const struct failover *failover);

/* A leader silent for this long has certainly expired: timeout, the servers' rounding, and their delay. -1:
 * unknown. */
int64_t failover_expiry_most_us(int timeout_ms, int tick_ms);

#endif
