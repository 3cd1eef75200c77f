/*
 * recall.h - what a recording knows of elections from before this run: taken over where it is proved to be
 * of the same thing.
 *
 * Proved is it by the leader's znode (its name, creation zxid and time, owner), or, where nobody leads, by
 * the directory, which has seen nobody come since. Then who led before, the failovers, and since when it is
 * as it is are those of the recording. Otherwise only what was recorded is. The time that nobody recorded is
 * a gap in both cases: whoever leads behind it as before led all the while, and nobody watched. What is
 * found wrong stands since it was recorded as raised only where the recording reaches until now: across
 * a gap it may have come, gone and come again.
 */
#ifndef ELECTOP_PROBE_ELECTION_RECALL_H
#define ELECTOP_PROBE_ELECTION_RECALL_H

#include <stdbool.h>

#include "probe/election/fold.h"

/*
 * What is known of the same clusters until then (on this model's clocks). grows: somebody is recording still;
 * where the recording is behind what is seen, a later one is waited for (model_recalls()), to be given in the
 * same way. Borrowed until the next call. NULL: nothing later will come; what waits takes what there is, and
 * the recording may go.
 */
void model_recall(struct model *, const struct model *then, struct moment until, bool grows);
bool model_recalls(const struct model *);
/* The recording of that one is of this one. */
bool recall_same_cluster(const struct cluster *, const struct cluster *);

/* ---- for the model ---- */

/* A recording with a recorder at work is this far behind at most; nothing is between its end and now. */
#define RECALL_GAP_US INT64_C(5000000)

/* Begins to be watched: finds what was recorded of it. */
void recall_bind(const struct model *, struct election *);
/* Something of it was read: takes over what can be. */
void recall_take(const struct fold *);

#endif
