/*
 * clock.h - what time it is: asked at the edges, and handed to the model, which asks nobody.
 */
#ifndef ELECTOP_PROBE_CLOCK_H
#define ELECTOP_PROBE_CLOCK_H

#include "probe/election/moment.h"

/* On both clocks. */
struct moment clock_now(void);
int64_t clock_wall_us(void);

#endif
