/*
 * times.h - moments as people write them: RFC 3339, a day, a clock time, or so long ago.
 *
 *   2026-11-20T14:03:22.104Z   2026-11-20T14:03+01:00   2026-11-20 14:03 (local time)
 *   2026-11-20                 the beginning of that day (local time)
 *   14:03   14:03:22.104       the latest such time that is not after the reference (local time)
 *   -10m   +90s                so long before, or after, the reference
 *
 * Local time is that of the process (TZ), as on every screen. Microseconds since 1970; finer is refused.
 */
#ifndef ELECTOP_CONFIG_TIMES_H
#define ELECTOP_CONFIG_TIMES_H

#include <stdint.h>

/*
 * NULL when all is well; else a static text as those of units.h ("is not a time; write it as in ..."), and
 * *at_us is untouched.
 */
const char *time_parse(const char *text, int64_t reference_us, int64_t *at_us);

#endif
