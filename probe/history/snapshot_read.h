/*
 * snapshot_read.h - makes a model of a snapshot again: read by the same functions as a live one.
 */
#ifndef ELECTOP_PROBE_HISTORY_SNAPSHOT_READ_H
#define ELECTOP_PROBE_HISTORY_SNAPSHOT_READ_H

#include "probe/history/snapshot.h"

/* A model, and the texts and settings that it points at. */
struct snapshot_model;

/*
 * NULL: the snapshot is damaged. model->now is wall_us, on both clocks; what the recording
 * does not hold (when a session was last heard, as long as it was not silent) is unknown in it. generation:
 * of the model.
 */
struct snapshot_model *snapshot_read(const struct snapshot *snapshot, int64_t wall_us, uint64_t generation);
void snapshot_model_free(struct snapshot_model *restored); /* NULL is fine */
const struct model *snapshot_model_model(const struct snapshot_model *restored);

/*
 * From then on the cluster was not observed: it (NULL: every one) counts as not connected, for this reason,
 * its elections as stale, and their leaders as not known. A named one that was known to be disconnected
 * is left as it is.
 */
void snapshot_model_lapse(struct snapshot_model *restored, const char *cluster, int64_t since_wall_us,
                          const char *why);

#endif
