/*
 * trim.h - removes old rows from a recording.
 */
#ifndef ELECTOP_PROBE_HISTORY_TRIM_H
#define ELECTOP_PROBE_HISTORY_TRIM_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Removes rows that ended before then, some at each call, so that no reader waits for long. Rows that the
 * chunk of that moment needs stay. *more: there is more. Inside a transaction; false: it must be rolled back.
 */
bool recording_trim(sqlite3 *, int64_t before_us, bool *more);

#endif
