/*
 * failover_case.h - one change of leader under examination. Private to the model.
 *
 * A case is opened when a leader is lost, with the servers' facts about its client. Later lists add to it. It
 * is reported as EVENT_FAILOVER when the next candidate leads and all possible facts are known: at the latest
 * the allowed failover time after the next candidate became first, or when that one is lost in turn. An
 * election that needs a leader and has none is reported before that as open, also if a candidate is first that
 * certainly never led. A session that creates its candidate again leads as before: that is no failover.
 */
#ifndef ELECTOP_PROBE_ELECTION_FAILOVER_CASE_H
#define ELECTOP_PROBE_ELECTION_FAILOVER_CASE_H

#include "probe/election/failover_judge.h"
#include "probe/election/update.h"

/* The deletions by other clients kept from lists, by their zxid. */
#define DELETIONS_KEPT 16
struct seen_deletion {
    uint64_t session;
    int64_t zxid;
};

struct failover_case {
    struct failover_case *next; /* of the cluster's */
    struct election *election;
    struct failover_evidence evidence; /* as far as known */
    size_t server;                     /* the server of its connection; SIZE_MAX: unknown */
    int64_t last_cxid, established_ms; /* of that connection before the loss; -1: unknown */
    int64_t asked_zxid; /* its requests until then were answered no later than this; -1: unknown */
    bool at_leader;     /* from ZooKeeper's own leader */
    bool reported;      /* to which its server had reported the sessions that it heard: see is_unreported() */
    int64_t zxid, zxid_most; /* that removed its znode; the latest that may have; 0: unknown */
    int64_t seen_zxid;       /* our own session had seen its end by this one; 0: unknown */
    int64_t stood_zxid;      /* the znode still existed after this transaction; 0: unknown */
    int64_t czxid;           /* the transaction that created its znode; 0: unknown */
    int64_t listed_zxid;     /* the znode existed after this one, as it was read or listed */
    size_t over_server;      /* the server that did not list its session any more */
    int64_t over_zxid;       /* no transaction was later than this when that was reported; 0: unknown */
    bool same_request, other_request; /* later lists show the same last request, or another */
    struct seen_deletion deletions[DELETIONS_KEPT];
    size_t deletion_count;
    int64_t listed_us;   /* the list before the loss; a list alone may show that */
    struct moment won;   /* the next candidate was first; mono_us 0: none is */
    int64_t late_us;     /* what our own session sees, at most */
    struct span vacancy; /* once won */
    int64_t gap_us;      /* found after a gap of this length */
    bool told;           /* as an open failover */
    bool found;          /* from a recording: nothing but a log tells more of it */
    bool recalled;       /* reported before: its cause stays */
    bool in_line;        /* a first in line has certainly not led since */
};

/* In order: the leader is lost, and f->election->change says so; its directory was listed, old: its earlier
 * state or NULL; the next candidate is first. */
void failover_case_open(const struct update *update, const struct candidate *leader);
/* It led when a recording ended, and does not lead now that this run begins to watch, as f->election->change
 * says. */
void failover_case_found(const struct update *update, const struct candidate *leader, struct moment since);
/* There is no leader, and election_last_failover() is open, as an earlier run reported it: the next leader
 * closes it. */
void failover_case_recalled(const struct update *update, int64_t gap_us);
/* The longest wait for the cause of a change before it is reported: since the next candidate was first; without one,
 * since the loss. */
int64_t failover_case_wait_us(const struct election *election);
/* For how long nobody led before the leader of a recorded election, whose change was not reported. */
struct span failover_case_recorded_vacancy(const struct election *then);
/* Keeps it, and reports it. czxid: of a lock's holder; or 0. */
void failover_case_tell(const struct update *update, const struct failover *failover, int64_t czxid);
void failover_case_listed(const struct update *update, const struct znode_stat *old);
void failover_case_won(const struct update *update);
/* The winner was gone at once: the failover is open again. False: it was reported already. */
bool failover_case_reopen(struct election *election);
/* It never led: the failover is open again, also where it was reported with this winner. */
void failover_case_denied(const struct update *update);
/* Nobody leads, or the first never led, and only a log tells since when: opens the case. */
void failover_case_logged(const struct update *update);
/* If there is no list: the znode was removed before this time. */
void failover_case_gone_by(const struct update *update, int64_t zxid);
/* Reports an open case with the known facts, because another change begins. */
void failover_case_close(const struct update *update);
void failover_case_forget(struct election *election);
/* The election is no longer watched: an open failover that was reported ends without a leader. */
void failover_case_end(struct model *model, struct election *election, struct moment at);

void failover_cases_connections(struct cluster *cluster, size_t server, struct moment at,
                                const struct observed_connections *seen);
void failover_cases_sessions(struct cluster *cluster, size_t server, struct moment at,
                             const struct observed_sessions *seen);
/* The server at this index has left the ensemble: later indexes move up by one. */
void failover_cases_server_left(struct cluster *cluster, size_t server);
/* A server reported its latest transaction. */
void failover_cases_stated(struct cluster *cluster, size_t server, int64_t zxid);
/* Lists of connections and sessions could still show why a leader ended. */
bool failover_cases_want_evidence(const struct cluster *cluster, struct moment now);
/* Reports cases with enough facts. */
void failover_cases_settle(struct model *model, struct cluster *cluster, struct moment now);
/* No further facts come: reports the closed cases with those that there are. */
void failover_cases_finish(struct model *model, struct cluster *cluster, struct moment now);

/* A server's log shows the effect of one transaction on this znode (NULL: only that the log was read up to
 * it). */
void failover_cases_logged(struct model *model, struct cluster *cluster, struct moment at, const char *path,
                           const struct observed_transaction *observed_transaction);

/* ZooKeeper's own leader changes the upper half of every zxid. */
void cluster_note_epoch(struct cluster *cluster, int64_t zxid, struct moment at);

#endif
