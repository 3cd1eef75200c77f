/*
 * first_snapshot.h - complaints of a command without a screen about the first snapshot of each cluster: no
 * connection, no election, no permission, no watches; each with the reason and the remedy.
 */
#ifndef ELECTOP_TUI_COMMANDS_FIRST_SNAPSHOT_H
#define ELECTOP_TUI_COMMANDS_FIRST_SNAPSHOT_H

#include "probe/monitor.h"

struct first_snapshot;

/* After one snapshot: complains of each connected cluster's missing elections and hidden watches. */
void first_snapshot_complain(const struct monitor *monitor, const struct settings *settings);

/* Complains on standard error as the loop runs, of each obstacle once. Monitor and settings must outlive it.
 */
struct first_snapshot *first_snapshot_begin(uv_loop_t *loop, struct monitor *monitor,
                                            const struct settings *settings);
/* Elections and servers of every cluster have answered, as far as they do: what a first poll shows is found. */
bool first_snapshot_answered(const struct first_snapshot *snapshot);
/* Frees it; NULL is allowed. The loop must run once more. */
void first_snapshot_end(struct first_snapshot *snapshot);

#endif
