/*
 * case_state.h - the observations of a stretch that a newcomer at its end would be told: the latest of each
 * fact that still holds.
 */
#ifndef ELECTOP_PROBE_CASE_CASE_STATE_H
#define ELECTOP_PROBE_CASE_CASE_STATE_H

#include "probe/case/observation_codec.h"

/* Puts them into another stretch, in the order in which a source tells them, with the latest times at which
 * they were known to hold. How many they are. */
uint64_t case_state_put(struct coding *to, const void *stretch, size_t length);

#endif
