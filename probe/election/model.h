/*
 * model.h - all clusters and their elections: folds observations, emits events.
 *
 * Pure and deterministic: time comes with each observation. One model may be fed by a live source,
 * servers' transaction logs, a case, or a test's table. A recording is no source: it is a model again.
 */
#ifndef ELECTOP_PROBE_ELECTION_MODEL_H
#define ELECTOP_PROBE_ELECTION_MODEL_H

#include "probe/election/cluster.h"
#include "probe/election/election.h"
#include "probe/election/event.h"

struct model;

/* The settings must outlive the model. NULL and a text in *error (caller frees) where a recipe is bad. */
struct model *model_new(const struct settings *settings, char **error);
void model_free(struct model *model);

/* The one way in. */
void model_observe(struct model *model, const struct observation *observation);

/* By full path; NULL: not watched. */
struct election *model_election(const struct model *model, unsigned cluster, const char *path);

/* The same by the cluster's name. */
const struct election *model_find(const struct model *model, const char *cluster, const char *path);

/* Large elections are not diagnosed at every change: does the postponed work now, so that readers see
   the complete state of this moment. False: there was nothing. */
bool model_catch_up(struct model *model);
/* The source has ended: failovers that wait for more facts are reported with those that are known. */
void model_finish(struct model *model);

/* Something is suspected in that cluster that a second poll of its servers, a list after a sync, or time
   could settle, and there will be one. */
bool model_wants_second_poll(const struct model *model, unsigned cluster);
/* When (monotonic, as now_us) the next poll may settle any of it. 0: any poll may. INT64_MAX: nothing is
   suspected. watches: whether that takes a list of watches now, or a list of connections suffices. */
int64_t model_poll_due_us(const struct model *model, unsigned cluster, int64_t now_us, bool *watches);

/* A leader's connection went from its server's list a moment ago, and it is not known yet whether it has
 * another. */
bool model_misses_leader(const struct model *model, unsigned cluster);

/* A leader went a moment ago, and lists of connections and sessions could still show why. */
bool model_wants_evidence(const struct model *model, unsigned cluster);

#endif
