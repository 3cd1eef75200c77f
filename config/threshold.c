#include "config/threshold.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/units.h"

#define BOUND_MAX 40 /* bytes of one bound */

/* A number, or a duration in seconds. */
static bool threshold_bound(const char *text, double *value)
{
    int64_t ms;
    char *end;
    if (strspn(text, "0123456789.-") == strlen(text)) {
        *value = strtod(text, &end);
        return *text && !*end && isfinite(*value);
    }
    if (duration_parse(text, &ms))
        return false;
    *value = (double)ms / 1000;
    return true;
}

const char *threshold_parse(const char *text, struct threshold *threshold)
{
    static const char *const wrong =
        "is not a range; write it as in candidates=3: or vacancy=10s or failover.p99=~:2s";
    struct threshold parsed = {.low = 0, .high = INFINITY};
    char low[BOUND_MAX] = "", high[BOUND_MAX] = "";
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || equals - text >= THRESHOLD_FIGURE)
        return "names no figure; write it as in candidates=3: or vacancy=10s";
    memcpy(parsed.figure, text, (size_t)(equals - text));
    const char *range = equals + 1;
    parsed.inside = *range == '@';
    range += parsed.inside;
    const char *colon = strchr(range, ':');
    const char *last = colon ? colon + 1 : range;
    if ((colon && colon - range >= BOUND_MAX) || strlen(last) >= BOUND_MAX || !*range)
        return wrong;
    if (colon)
        memcpy(low, range, (size_t)(colon - range));
    strcpy(high, last);
    if (strcmp(low, "~") == 0)
        parsed.low = -INFINITY;
    else if (*low && !threshold_bound(low, &parsed.low))
        return wrong;
    if (*high && !threshold_bound(high, &parsed.high))
        return wrong;
    if (!*high && !*low)
        return wrong;
    if (parsed.low > parsed.high)
        return "ends before it begins; write the lower bound first";
    *threshold = parsed;
    return NULL;
}

bool threshold_alerts(const struct threshold *threshold, double value)
{
    bool within = value >= threshold->low && value <= threshold->high;
    return within == threshold->inside;
}

char *threshold_print(const struct threshold *threshold, char buffer[THRESHOLD_TEXT])
{
    char low[24] = "", high[24] = "";
    if (threshold->low == -INFINITY)
        snprintf(low, sizeof low, "~:");
    else if (threshold->low != 0 || threshold->high == INFINITY)
        snprintf(low, sizeof low, "%.10g:", threshold->low);
    if (threshold->high != INFINITY)
        snprintf(high, sizeof high, "%.10g", threshold->high);
    snprintf(buffer, THRESHOLD_TEXT, "%s%s%s", threshold->inside ? "@" : "", low, high);
    return buffer;
}
