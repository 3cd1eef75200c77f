/*
 * baseline.h - facts of a recording about elections from before this run: taken over if they are proved to be
 * of the same thing.
 *
 * The proof is the leader's znode (its name, creation zxid and time, owner), or, without a leader,
 * the directory, which has had no creation since. Then the leaders before, the failovers, and the beginning
 * of its state are those of the recording. Otherwise only recorded events are. Unrecorded time is a gap in
 * both cases: a leader that is the same after it led all the while, unobserved. A finding has the time at
 * which it was raised only if the recording reaches until now: across a gap it may have come, gone and come
 * again.
 */
#ifndef ELECTOP_PROBE_ELECTION_BASELINE_H
#define ELECTOP_PROBE_ELECTION_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/election/update.h"

/*
 * The known state of the same clusters until then (on this model's clocks). grows: a recorder is still
 * active; if the recording is behind the live state, a later one is awaited (model_awaits_baseline()), to be
 * passed in the same way. Borrowed until the next call. NULL: nothing later will come; waiting elections take
 * what there is, and the recording may be freed.
 */
void model_take_baseline(struct model *model, const struct model *then, struct moment until, bool grows);
bool model_awaits_baseline(const struct model *model);
/* The recording of that one is of this one. */
bool baseline_same_cluster(const struct cluster *cluster, const struct cluster *b);

/* ---- for the model ---- */

/* A recording with a recorder at work is this far behind at most; nothing is between its end and now. */
#define BASELINE_GAP_US INT64_C(5000000)

/* Begins to be watched: finds its recorded facts. */
void baseline_bind(const struct model *model, struct election *election);
/* A fact of it was read: takes over recorded ones. */
void baseline_take(const struct update *update);

/* ---- single recorded facts, for the model ---- */

/* A moment of the recording by this model's clocks: the wall clock is what both runs have in common. */
struct moment baseline_moment(const struct model *model, struct moment then);
/* The leader is found without its acknowledgement: since when that is known; now,
   where nothing was recorded. */
struct moment baseline_unacknowledged(const struct update *update);
/* It was raised just now: since when it is known. about: which of its candidates it is
   about; SIZE_MAX: none. */
void baseline_finding(const struct update *update, struct finding *finding, size_t about);

#endif
