/*
 * baseline.h - takes over recorded facts about elections from before this run, if they are proved to concern
 * the same election.
 *
 * The proof is the leader's znode (its name, creation zxid and time, owner) or, without a leader, the
 * directory with no creation since. Then earlier leaders, failovers, and the beginning of the present state
 * come from the recording. Without proof only recorded events do. Unrecorded time is a gap in both cases; a
 * leader that is the same after a gap has led throughout, unobserved. A finding keeps its recorded time only
 * if the recording reaches until now: across a gap it may have come, gone and come again.
 */
#ifndef ELECTOP_PROBE_ELECTION_BASELINE_H
#define ELECTOP_PROBE_ELECTION_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/election/update.h"

/*
 * Takes the recorded state of the same clusters (on this model's clocks). grows: a recorder is active. If the
 * recording is behind the live state, a later one is awaited (model_awaits_baseline()) and passed in the same
 * way. Borrowed until the next call. NULL: no later one will come; waiting elections use the present one, and
 * the recording may be freed.
 */
void model_take_baseline(struct model *model, const struct model *then, struct moment until, bool grows);
bool model_awaits_baseline(const struct model *model);
/* The znode at this path led when the recording ended. */
bool baseline_led(const struct model *model, const struct cluster *cluster, const char *path);
/* The recorded cluster is this cluster. */
bool baseline_same_cluster(const struct cluster *a, const struct cluster *b);

/* ---- for the model ---- */

/* A recording with an active recorder is at most this far behind; nothing is missing between its end and
 * now. */
#define BASELINE_GAP_US INT64_C(5000000)

/* The election begins to be watched: finds its recorded facts. */
void baseline_bind(const struct model *model, struct election *election);
/* A fact of the election was read: takes over recorded ones. */
void baseline_take(const struct update *update);

/* ---- single recorded facts, for the model ---- */

/* The recorded layout, if one of these names has it: a mixed directory keeps its layout. NULL: there is none. */
const struct recipe *baseline_recipe(const struct update *update, char *const *names, size_t count,
                                     enum recognised *recognised);

/* Converts a moment of the recording to this model's clocks. Both runs share only the wall clock, at its end. */
struct moment baseline_moment(const struct model *model, struct moment then);
/* The leader has not acknowledged: since when this is known; now, if nothing was recorded. */
struct moment baseline_unacknowledged(const struct update *update);
/* The finding was raised just now: since when it is known. about: the index of its candidate; SIZE_MAX:
 * none. */
void baseline_finding(const struct update *update, struct finding *finding, size_t about);

#endif
