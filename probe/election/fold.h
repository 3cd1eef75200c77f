/*
 * fold.h - how one observation changes one election: the inside of the model, shared by its parts.
 *
 * From the top down; each calls only what stands below it:
 *
 *   model.c          takes an observation to where it belongs
 *   diagnose*.c      what is wrong (diagnose.h)
 *   chain.c          who really watches whom
 *   marks.c          marks and registries, as they are read
 *   directory.c      lists of children: who joined, who left, what went unseen
 *   lock.c           elections that are one znode
 *   client.c         what the servers show of sessions, and the looks that count (clients.h)
 *   election_life.c  what an election begins with and is configured to, and its end
 *   standing.c       one candidate's znode: read, gone, denied
 *   leadership.c     who leads since when
 *   failover_case.c  the evidence of a change of leader, until it is told as a whole (failover_case.h)
 *   acknowledge.c    whether the leader has acknowledged
 *   findings.c       the findings of one election: raised, kept, cleared
 *   fold.c           what every change does: events, states, what is to be diagnosed
 *   cluster.c        the elections of a cluster by path
 *   tables           failovers.c, clients.c, registry.c, roster.c, tenure.c, bystanders.c, replicas.c
 */
#ifndef ELECTOP_PROBE_ELECTION_FOLD_H
#define ELECTOP_PROBE_ELECTION_FOLD_H

#include "probe/election/model.h"

struct fold {
    struct model *model;
    struct election *election;
    struct moment at;
};

/* ---- fold.c ---- */

/* Tells one event that belongs to no election. */
void model_tell(struct model *, const struct event *);
/* Tells one event; fills in time, cluster and election. */
void fold_tell(const struct fold *, struct event *);
/* ... of one candidate. */
void fold_tell_candidate(const struct fold *, enum event_kind, const struct candidate *, size_t position);
/* Something changed that a screen may show. */
void fold_touched(const struct fold *);

void fold_state(const struct fold *, enum election_state);
/* It stands as before, but may have been otherwise in between: its state counts from now. */
void fold_state_found(const struct fold *);
/* What was just read holds now. */
void fold_fresh(const struct fold *);
void fold_out_of_memory(const struct fold *);
/* Something of it changed: to be diagnosed. */
void diagnose_soon(struct election *);
/* It is not watched any more. */
void diagnose_forget(struct election *);

/* ---- cluster.c ---- */

/* The cluster owns it from then on. False: out of memory. */
bool cluster_add(struct cluster *, struct election *);
/* Gives it back to the caller. */
void cluster_remove(struct cluster *, struct election *);
/* By which it finds them. */
uint32_t cluster_path_hash(const char *path, size_t length);
/* The election at exactly this path; NULL: there is none. */
struct election *cluster_election(const struct cluster *, const char *path, size_t length);

/* ---- election_life.c ---- */

struct election *election_new(struct cluster *, const char *path, uint32_t hash);
void election_free(struct election *);
/* Where a recipe was recognised or configured: takes it, with the mark that belongs to it. */
void election_take_recipe(struct election *, const struct recipe *, enum recognised);
/* With new settings: configured recipe, mark, registry. */
void election_configure(struct election *, const struct recipe_book *, const struct observed_election *);

/* ---- directory.c ---- */

void fold_children(const struct fold *, const struct observed_children *);
/* The election's own znode was seen. */
void fold_own_node(const struct fold *, const struct znode_stat *, const struct observed_node *);
void fold_path_absent(const struct fold *);
void fold_path_denied(const struct fold *);

/* ---- lock.c ---- */

bool fold_is_lock(const struct fold *, const struct znode_stat *);
/* node NULL: only its Stat, from a list. */
void fold_lock(const struct fold *, const struct znode_stat *, const struct observed_node *);
void fold_lock_absent(const struct fold *);

/* ---- standing.c ---- */

struct candidate *standing_new(const struct fold *, const char *name, uint32_t hash);
/* Fits it? Sets sequence, outside, and what its name says. */
void standing_parse(const struct fold *, struct candidate *);
/* Only its Stat, from elsewhere. */
void standing_stat(const struct fold *, struct candidate *, const struct znode_stat *);
void standing_read(const struct fold *, struct candidate *, const struct observed_node *);
void standing_identify(const struct election *, struct candidate *);
/* The address of its client became known, or another one. */
void client_named(struct candidate *);
void fold_candidate_node(const struct fold *, const char *name, const struct observed_node *);
void fold_candidate_absent(const struct fold *, const char *name);
void fold_candidate_denied(const struct fold *, const char *name);

/* ---- leadership.c ---- */

void leadership_found(const struct fold *, struct candidate *);
void leadership_lost(const struct fold *, const struct candidate *, bool seen);
/* Makes it the leader; the event is told by leadership_tell(), after everything else of the observation. */
void leadership_won(const struct fold *, const struct candidate *);
void leadership_tell(const struct fold *);
void leadership_vacant(const struct fold *);
/* The same one leads still, after the tool was away. */
void leadership_kept(const struct fold *);
/* The leader's znode was read: its identity, its creation. */
void leadership_read(const struct fold *);
/* Two equal numbers found their order during the first look. */
void leadership_corrected(const struct fold *, struct candidate *);
void leadership_free(struct election *);

/* ---- acknowledge.c ---- */

void acknowledge_update(const struct fold *);

/* ---- marks.c ---- */

/* False: what was observed is no mark of this election, and no registry's entry. */
bool fold_mark(const struct fold *, const struct observation *);
/* Of the election's own znode, where that is the mark. */
void fold_parent_data(const struct fold *, const struct observed_node *);

#endif
