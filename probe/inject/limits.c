#include "probe/inject/limits.h"

#include <inttypes.h>
#include <stdio.h>

const char *limits_passed(const struct inject_settings *limits, const struct demand *demand,
                          char text[LIMITS_TEXT])
{
    uint64_t deaths = demand->every_ms ? (1000 + demand->every_ms - 1) / demand->every_ms : 0;
    if (demand->sessions > (size_t)limits->sessions)
        snprintf(text, LIMITS_TEXT, "%zu sessions are more than the %d of inject: {sessions: ...}",
                 demand->sessions, limits->sessions);
    else if (demand->rate_per_s > limits->creates_per_s)
        snprintf(text, LIMITS_TEXT, "%d creates a second are more than the %d of inject: {creates: ...}",
                 demand->rate_per_s, limits->creates_per_s);
    else if (deaths > (uint64_t)limits->creates_per_s)
        snprintf(text, LIMITS_TEXT,
                 "a death every %" PRIu64
                 " ms brings more than the %d creates a second of inject: {creates: ...}",
                 demand->every_ms, limits->creates_per_s);
    else
        return NULL;
    return text;
}
