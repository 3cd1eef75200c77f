/*
 * snapshot.h - the readable part of a model, as a set of small items, and the patches between two states.
 *
 * The recorder keeps one snapshot up to date with the live model and stores the patches; a reader applies
 * them to another one and makes a model of it again. A screen drawn from that shows
 * the same as then. An item is one thing (an election, a candidate, a finding ...); a patch lists the
 * items that differ and their differences, so unchanged items cost nothing.
 *
 * Left out are facts that only the model needs, and figures that change at every poll without meaning: when a
 * session was last heard (unless it is silent for more than half of its timeout), how long a server took to
 * answer, and of its other figures (zxid, connections, watches) all but one state a minute.
 */
#ifndef ELECTOP_PROBE_HISTORY_SNAPSHOT_H
#define ELECTOP_PROBE_HISTORY_SNAPSHOT_H

#include "probe/election/model.h"
#include "probe/json/buffer.h"

struct snapshot;

struct snapshot *snapshot_new(void);
void snapshot_free(struct snapshot *snapshot);

/* ---- writing ---- */

/*
 * Brings the snapshot up to date with the model and appends the differences to the patch; nothing if there
 * are none.
 */
void snapshot_update(struct snapshot *snapshot, const struct model *model, struct buffer *patch);

/* The patch that makes this snapshot of an empty one. */
void snapshot_keyframe(const struct snapshot *snapshot, struct buffer *patch);

/* ---- reading ---- */

/* False: the patch does not fit the snapshot or is damaged. The snapshot is then of no use. */
bool snapshot_apply(struct snapshot *snapshot, const void *patch, size_t length);
/* Empty again. */
void snapshot_clear(struct snapshot *snapshot);

/* The items, for snapshot_read.c: those that are not there have NULL bytes. Their first byte is an item_kind
   (items.h). */
const unsigned char *snapshot_item(const struct snapshot *snapshot, size_t i, size_t *length);

/* ---- a model again: snapshot_read.c ---- */

/* A model, and the texts and settings that it points at. */
struct snapshot_model;

/*
 * NULL: the snapshot is damaged. model->now is wall_us, on both clocks; what the recording
 * does not hold (when a session was last heard, as long as it was not silent) is unknown in it. generation:
 * of the model.
 */
struct snapshot_model *snapshot_read(const struct snapshot *snapshot, int64_t wall_us, uint64_t generation);
/* A copy of a live model, as a recording would show it at that time. NULL: it has too many items. */
struct snapshot_model *snapshot_model_of(const struct model *model, int64_t wall_us);
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
