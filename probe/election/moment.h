/*
 * moment.h - one point in time on both clocks.
 *
 * Durations are differences of mono_us; wall_us is for display and records only (it may jump).
 */
#ifndef ELECTOP_PROBE_ELECTION_MOMENT_H
#define ELECTOP_PROBE_ELECTION_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

struct moment {
    int64_t mono_us; /* the observer's monotonic clock, microseconds */
    int64_t wall_us; /* microseconds since 1970-01-01T00:00:00Z; 0: not known */
};

/* One and the same, even if one of them came through more recordings: each moves the monotonic clock to its reader's,
   and after some they are microseconds apart. */
static inline bool moment_is(struct moment a, struct moment b)
{
    return a.mono_us == b.mono_us || (a.wall_us != 0 && a.wall_us == b.wall_us);
}

#endif
