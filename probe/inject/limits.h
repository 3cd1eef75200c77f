/*
 * limits.h - how much a run may ask of a cluster that is not this program's own, without leave. Pure.
 */
#ifndef ELECTOP_PROBE_INJECT_LIMITS_H
#define ELECTOP_PROBE_INJECT_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"

struct demand {
    size_t sessions;
    int rate_per_s;    /* 0: whatever the ceiling is */
    uint64_t every_ms; /* between two deaths, each of which causes a create; 0: no deaths */
};

/* NULL: within the ceiling. Else what passes which setting of inject:, in one buffer of the caller's, fit to
   be followed by what to do. */
#define LIMITS_TEXT 160
const char *limits_passed(const struct inject_settings *, const struct demand *, char text[LIMITS_TEXT]);

#endif
