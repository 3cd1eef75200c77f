/*
 * trim.h - takes what is old out of a recording.
 */
#ifndef ELECTOP_PROBE_HISTORY_TRIM_H
#define ELECTOP_PROBE_HISTORY_TRIM_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Takes out what ended before then, a part of it at each call, so that nobody waits for long. What the chunk
 * needs in which that moment lies stays. *more: there is more. Inside a transaction; false: it must be
 * rolled back.
 */
bool recording_trim(sqlite3 *, int64_t before_us, bool *more);

#endif
