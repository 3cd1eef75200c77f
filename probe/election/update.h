/*
 * update.h - the common part of every change of an election: events, states, pending diagnoses.
 *
 * The model from the top down; each file calls only those below it:
 *
 *   model.c             takes an observation to its election; copies the whole state
 *   diagnose*.c         problems
 *   chain.c             the actual watches
 *   update_directory.c  lists of children, or a lock's one znode: joined, left, unseen
 *   acknowledgement.c   acknowledgements and registries, as they are read
 *   session_table_lists.c
 *                       sessions as the servers show them
 *   watch_proof.c       the polls that prove what a session watches
 *   baseline.c          facts of a recording from before this run
 *   election_life.c     an election's beginning, its configuration, and its end
 *   candidate_node.c    one candidate's znode: read, gone, denied
 *   leadership.c        the leader, and since when
 *   findings.c          the findings of one election: raised, kept, cleared
 *   failover_case.c     the evidence of a change of leader, until it is reported as a whole
 *   update.c            the common part of every change
 *   tables              registry.c, candidates.c, tenure.c, bystanders.c, replicas.c, session_table.c,
 *                       transactions.c
 *   cluster.c           the elections of a cluster by path, and its servers
 */
#ifndef ELECTOP_PROBE_ELECTION_UPDATE_H
#define ELECTOP_PROBE_ELECTION_UPDATE_H

#include "probe/election/cluster.h"
#include "probe/election/election.h"
#include "probe/election/event.h"
#include "probe/election/observation.h"

struct update {
    struct model *model;
    struct election *election;
    struct moment at;
};

/* ---- update.c: the common part ---- */

/* Emits one event that belongs to no election. */
void model_emit(struct model *model, const struct event *event);
/* Emits one event; fills in time, cluster and election. */
void update_emit(const struct update *update, struct event *event);
/* Emits an event about one candidate. */
void update_emit_candidate(const struct update *update, enum event_kind kind,
                           const struct candidate *candidate, size_t position);
/* Emits that the leader was elected; or does so once its data has been read (leader_unreported), and at the
 * latest before any other event about it. */
void update_emit_elected(const struct update *update);
void update_emit_elected_read(const struct update *update, bool read);
/* Something changed that a screen may show. */
void update_touched(const struct update *update);

void update_state(const struct update *update, enum election_state state);
/* Its state is as before, but may have differed in between: it is dated from now. */
void update_state_found(const struct update *update);
/* The facts just read are current. */
void update_fresh(const struct update *update);
/* The election, or one of its sessions, has changed: schedules a diagnosis. */
void diagnose_soon(struct election *election);
/* The election has not changed, but another poll may add facts. */
void diagnose_again(struct election *election);
/* The election is no longer watched. */
void diagnose_forget(struct election *election);

/* ---- update_directory.c: lists of children, and the directory's own znode ---- */

/* Its complete list of children was read. */
void update_children(const struct update *update, const struct observed_children *list);
/* The election's own znode was seen. */
void update_own_node(const struct update *update, const struct znode_stat *stat,
                     const struct observed_node *node);
void update_path_absent(const struct update *update);
void update_path_denied(const struct update *update);
/* The servers do not answer reads of it: it keeps its state, which may be outdated. */
void update_path_unread(const struct update *update, enum unread_part part);

#endif
