/*
 * logged_fact.h - a fact from a transaction log beyond the elections, for the story of a failover.
 */
#ifndef ELECTOP_PROBE_TRANSACTIONS_LOGGED_FACT_H
#define ELECTOP_PROBE_TRANSACTIONS_LOGGED_FACT_H

#include <stdint.h>

#include "probe/election/moment.h"

enum logged_fact_kind {
    FACT_SESSION_EXPIRED, /* the servers ended it */
    FACT_SESSION_CLOSED,  /* its client did; only of sessions that owned an ephemeral znode */
    FACT_DELETED,         /* a request deleted an ephemeral znode: path, owner */
    FACT_EPOCH,           /* ZooKeeper's own leader changed: the first transaction of an epoch */
    FACT_SERVER_STARTED,  /* a server began a log with this transaction, as one does when it starts: path is
                             its directory, owner its number (myid) or 0. Not proven: see autopsy.c */
    FACT_CLOCK_BACK,      /* the leader's clock went back, by back_us */
    FACT_MISSING,         /* transactions from zxid to zxid_to are in no log */
    FACT_DIVERGED,        /* two servers have different transactions of this zxid */
    FACT_SESSION_BACK,    /* its client asked for the session that is over: that process was not killed */
    FACT_KINDS
};

struct logged_fact {
    enum logged_fact_kind kind;
    struct moment at;
    int64_t zxid, zxid_to; /* zxid_to 0: of one transaction */
    uint64_t session, owner;
    const char *path; /* or NULL */
    int timeout_ms;   /* of the session that ended; 0: not known */
    int64_t began_us; /* wall clock, 0: not known. Of that session; of EPOCH and SERVER_STARTED the time of
                         the transaction before, since when it can have happened */
    int64_t back_us;
};

/* As recordings spell it: "session-expired". */
static inline const char *logged_fact_word(enum logged_fact_kind kind)
{
    static const char *const words[FACT_KINDS] = {"session-expired", "session-closed", "deleted",
                                                  "epoch",           "server-started", "clock-back",
                                                  "missing",         "diverged",       "session-back"};
    return (unsigned)kind < FACT_KINDS ? words[kind] : "unknown";
}

#endif
