/*
 * ceiling.h - how much a run may ask of a cluster that is not this program's own, without leave. Pure.
 */
#ifndef ELECTOP_PROBE_INJECT_CEILING_H
#define ELECTOP_PROBE_INJECT_CEILING_H

#include <stddef.h>
#include <stdint.h>

#include "config/settings.h"

struct demand {
    size_t sessions;
    int rate_per_s;    /* 0: whatever the ceiling is */
    uint64_t every_ms; /* between two deaths, each of which brings a create; 0: nobody dies */
};

/* NULL: within the ceiling. Else what passes which setting of inject:, in one buffer of the caller's, fit to
   be followed by what to do. */
#define CEILING_TEXT 160
const char *ceiling_passed(const struct inject_settings *, const struct demand *, char text[CEILING_TEXT]);

#endif
