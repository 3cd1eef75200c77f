/*
 * observation_codec.h - observations as fields of a stretch: one list of them serves writing and reading.
 *
 * Times are written as distances. Kinds of later versions are counted and skipped; fields that a later version adds to
 * the end of a kind are not read.
 */
#ifndef ELECTOP_PROBE_CASE_OBSERVATION_CODEC_H
#define ELECTOP_PROBE_CASE_OBSERVATION_CODEC_H

#include "probe/case/coding.h"
#include "probe/election/observation.h"

/* Settings of elections outlive their stretch, for the model keeps them: */
struct kept_settings;
void kept_settings_free(struct kept_settings *kept);

void coding_put(struct coding *c, const struct observation *observation);
/* *observation is valid until coding_free(). False: no more, or bad. */
bool coding_get(struct coding *c, struct observation *observation);

#endif
