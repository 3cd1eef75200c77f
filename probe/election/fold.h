/*
 * fold.h - what every change of an election does, whatever it is: events, states, what is to be diagnosed.
 *
 * The model from the top down; each file calls only what stands below it:
 *
 *   freeze.c         a picture that does not move
 *   model.c          takes an observation to where it belongs
 *   diagnose*.c      what is wrong
 *   chain.c          who really watches whom
 *   directory.c      lists of children: who joined, who left, what went unseen
 *   marks.c          marks and registries, as they are read
 *   lock.c           elections that are one znode
 *   servers.c        who belongs to the ensemble, and what each server shows
 *   looks.c          what the servers show of sessions, and the looks that count
 *   recall.c         what a recording knows from before this run
 *   election_life.c  what an election begins with and is configured to, and its end
 *   standing.c       one candidate's znode: read, gone, denied
 *   leadership.c     who leads since when
 *   acknowledge.c    whether the leader has acknowledged
 *   findings.c       the findings of one election: raised, kept, cleared
 *   failover_case.c  the evidence of a change of leader, until it is told as a whole
 *   recalled.c       single facts of the recorded past
 *   fold.c           what every change does
 *   tables           failovers.c, registry.c, roster.c, tenure.c, bystanders.c, replicas.c, clients.c,
 *                    transactions.c
 *   cluster.c        the elections of a cluster by path
 */
#ifndef ELECTOP_PROBE_ELECTION_FOLD_H
#define ELECTOP_PROBE_ELECTION_FOLD_H

#include "probe/election/cluster.h"
#include "probe/election/election.h"
#include "probe/election/event.h"

struct fold {
    struct model *model;
    struct election *election;
    struct moment at;
};

/* Tells one event that belongs to no election. */
void model_tell(struct model *, const struct event *);
/* Tells one event; fills in time, cluster and election. */
void fold_tell(const struct fold *, struct event *);
/* ... of one candidate. */
void fold_tell_candidate(const struct fold *, enum event_kind, const struct candidate *, size_t position);
/* ... that the leader was elected; or once its data has been read (leader_untold), and at the latest before
   anything else is told of it. */
void fold_tell_elected(const struct fold *);
void fold_tell_elected_read(const struct fold *, bool read);
/* Something changed that a screen may show. */
void fold_touched(const struct fold *);

void fold_state(const struct fold *, enum election_state);
/* It stands as before, but may have been otherwise in between: its state counts from now. */
void fold_state_found(const struct fold *);
/* What was just read holds now. */
void fold_fresh(const struct fold *);
void fold_out_of_memory(const struct fold *);
/* Something of it, or of its sessions, changed: to be diagnosed. */
void diagnose_soon(struct election *);
/* Nothing of it changed, but another look may say more. */
void diagnose_again(struct election *);
/* It is not watched any more. */
void diagnose_forget(struct election *);

#endif
