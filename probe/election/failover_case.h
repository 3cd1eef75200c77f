/*
 * failover_case.h - one change of leader under examination. Private to the model.
 *
 * A case is opened when a leader is lost, with the facts that the servers had shown of its client. Later
 * lists add to it. It is reported as EVENT_FAILOVER, once, when the next one leads and all possible facts are
 * known: at the latest the allowed failover time after the next one was first, or when that one is lost in
 * its turn.
 */
#ifndef ELECTOP_PROBE_ELECTION_FAILOVER_CASE_H
#define ELECTOP_PROBE_ELECTION_FAILOVER_CASE_H

#include "probe/election/failover_judge.h"
#include "probe/election/update.h"

/* Deletions by others that were seen in lists, by their zxid. */
#define DELETIONS_KEPT 16
struct seen_deletion {
    uint64_t session;
    int64_t zxid;
};

/* Ends of znodes that a log showed, the latest: it may be read before the loss is noticed, or after. */
#define LOGGED_ENDS_KEPT 256
struct logged_end {
    char *path;
    struct observed_transaction transaction;
};
struct logged_ends {
    struct logged_end ring[LOGGED_ENDS_KEPT];
    size_t next;
};

struct failover_case {
    struct failover_case *next; /* of the cluster's */
    struct election *election;
    struct failover_evidence evidence; /* as far as it is known yet */
    size_t server;                     /* that its connection was on; SIZE_MAX: none is known */
    int64_t last_cxid, established_ms; /* of that connection before; -1: unknown */
    int64_t asked_zxid;                /* its requests until then were answered no later; -1: unknown */
    bool at_leader;                    /* ... from ZooKeeper's own */
    int64_t zxid, zxid_most;           /* that took its znode, and the latest that may have; 0: not known */
    int64_t stood_zxid;                /* it still existed after this one; 0: not known */
    int64_t czxid;                     /* that made its znode; 0: not known */
    int64_t listed_zxid;               /* ... and after this one, as it was read or listed */
    size_t over_server;                /* that did not list its session any more */
    int64_t over_zxid; /* no transaction was later than this when it had reported that; 0: not known */
    bool same_request, other_request; /* as before, or not, in lists after */
    struct seen_deletion deletions[DELETIONS_KEPT];
    size_t deletion_count;
    struct moment won; /* the next one was first; mono_us 0: none is */
    int64_t gap_us;    /* ... found after a gap of this length */
};

/* The leader is lost, and f->election->change says so; then its directory was listed, old: as it was known
   before, or NULL; then the next one is first. */
void failover_case_open(const struct update *update, const struct candidate *leader);
void failover_case_listed(const struct update *update, const struct znode_stat *old);
void failover_case_won(const struct update *update);
/* Where there is no list: whatever took it had happened when this did. */
void failover_case_gone_by(const struct update *update, int64_t zxid);
/* Reports an open case with the known facts: another change begins. */
void failover_case_close(const struct update *update);
void failover_case_forget(struct election *election);

void failover_cases_connections(struct cluster *cluster, size_t server, struct moment at,
                                const struct observed_connections *seen);
void failover_cases_sessions(struct cluster *cluster, size_t server, struct moment at,
                             const struct observed_sessions *seen);
/* The one at this index belongs to the ensemble no more: those behind it move up by one. */
void failover_cases_server_left(struct cluster *cluster, size_t server);
/* A server reported its latest transaction. */
void failover_cases_stated(struct cluster *cluster, size_t server, int64_t zxid);
/* Lists of connections and sessions could still show why one of them went. */
bool failover_cases_want_evidence(const struct cluster *cluster, struct moment now);
/* Reports cases with enough facts. */
void failover_cases_settle(struct model *model, struct cluster *cluster, struct moment now);

/* A server's log shows what one transaction did to this znode (NULL: that it was read so far). */
void failover_cases_logged(struct cluster *cluster, struct moment at, const char *path,
                           const struct observed_transaction *observed_transaction);
void logged_ends_free(struct logged_ends *ends); /* NULL is fine */

/* ZooKeeper's own leader changes the upper half of every zxid. */
void cluster_note_epoch(struct cluster *cluster, int64_t zxid, struct moment at);

#endif
