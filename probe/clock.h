/*
 * clock.h - the current time: read at the edges, and passed to the model, which reads no clock.
 */
#ifndef ELECTOP_PROBE_CLOCK_H
#define ELECTOP_PROBE_CLOCK_H

#include "probe/election/moment.h"

/* On both clocks. */
struct moment clock_now(void);
int64_t clock_wall_us(void);

#endif
