/*
 * case_state.h - the state at the end of a series of observations: the latest one of each fact that still
 * holds.
 */
#ifndef ELECTOP_PROBE_CASE_CASE_STATE_H
#define ELECTOP_PROBE_CASE_CASE_STATE_H

#include "probe/case/observation_codec.h"

/* Writes these observations in the order in which a source reports them, each with the latest time at which it
 * was known to hold. Returns their number. */
uint64_t case_state_put(struct coding *to, const void *stretch, size_t length);

#endif
