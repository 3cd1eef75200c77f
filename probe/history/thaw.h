/*
 * thaw.h - makes a model of a picture again: read by the same functions as a live one.
 */
#ifndef ELECTOP_PROBE_HISTORY_THAW_H
#define ELECTOP_PROBE_HISTORY_THAW_H

#include "probe/history/picture.h"

/* A model, and the texts and settings that it points at. */
struct thawed;

/*
 * NULL: the picture is damaged, or out of memory. model->now is wall_us, on both clocks; what the recording
 * does not hold (when a session was last heard, as long as it was not silent) is unknown in it. generation:
 * of the model.
 */
struct thawed *thaw(const struct picture *, int64_t wall_us, uint64_t generation);
void thawed_free(struct thawed *); /* NULL is fine */
const struct model *thawed_model(const struct thawed *);

/*
 * From then on nobody was watching: that cluster (NULL: every one) counts as not connected, for this reason,
 * what its elections show as stale, and who led in them as not known. A named one that was known to be away
 * is left as it is.
 */
void thawed_lapse(struct thawed *, const char *cluster, int64_t since_wall_us, const char *why);

#endif
