/*
 * preload.h - the facts that the recording, configured or where it usually is, already has, for a monitor that begins
 * to watch: so a live snapshot says as much about the past as the recording does (probe/election/baseline.h).
 */
#ifndef ELECTOP_PROBE_HISTORY_PRELOAD_H
#define ELECTOP_PROBE_HISTORY_PRELOAD_H

#include "probe/monitor.h"

struct preload;

/*
 * Right after monitor_start(), before the loop runs, and before this process begins to record into the same
 * file. NULL: nothing is recorded, or it cannot be read: electop works without it. End it
 * before the monitor.
 */
struct preload *preload_begin(uv_loop_t *loop, struct monitor *monitor,
                              const struct history_settings *settings);
void preload_end(struct preload *preload); /* NULL is fine */

/*
 * Another process records: where the live state is ahead of the recording, it is read again for a few
 * seconds. Without this, all later facts come from this process alone.
 */
void preload_follow(struct preload *preload); /* NULL is fine */
/* It is being waited for. */
bool preload_waits(const struct preload *preload);

#endif
