/*
 * earlier.h - what the configured recording knows already, for a monitor that begins to watch: so that a live
 * look says as much of what was before it as the recording does (probe/election/recall.h).
 */
#ifndef ELECTOP_PROBE_HISTORY_EARLIER_H
#define ELECTOP_PROBE_HISTORY_EARLIER_H

#include "probe/monitor.h"

struct earlier;

/*
 * Right after monitor_start(), before the loop runs, and before this process begins to record into the same
 * file. NULL: nothing is configured or recorded, or it cannot be read: one watches no less without. End it
 * before the monitor.
 */
struct earlier *earlier_begin(uv_loop_t *, struct monitor *, const struct history_settings *);
void earlier_end(struct earlier *); /* NULL is fine */

/*
 * Somebody else records: where what is seen is ahead of that, the recording is read again for a few seconds.
 * Without this, all that comes later is known from this run alone.
 */
void earlier_follow(struct earlier *); /* NULL is fine */
/* It is being waited for. */
bool earlier_waits(const struct earlier *);

#endif
