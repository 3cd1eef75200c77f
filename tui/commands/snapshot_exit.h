/*
 * snapshot_exit.h - the exit status of a snapshot or a stream, and its message if it is not 0.
 */
#ifndef ELECTOP_TUI_COMMANDS_SNAPSHOT_EXIT_H
#define ELECTOP_TUI_COMMANDS_SNAPSHOT_EXIT_H

#include <stdbool.h>
#include <stdint.h>

#include "config/options.h"
#include "config/settings.h"
#include "probe/election/model.h"

/* 0; with strict 1 if something is not in order; 3 if no snapshot was possible. */
int snapshot_exit_status(const struct model *model, bool strict);

/* The same for a snapshot that ended before the whole tree had been searched: without any election, it found
 * none; a sound result may be partial. Prints this on standard error if the status is not 0. */
int snapshot_exit_unsearched(const struct model *model, const struct options *options);

/*
 * For --strict: whether a reachable cluster shows no election at all, or could not be searched completely, or
 * matches none for a pattern of its settings. Prints this on standard error: an unseen election was not
 * judged.
 */
bool snapshot_exit_complain_unjudged(const struct model *model, const struct settings *settings);

/* If no snapshot was possible: prints the reason and the remedy on standard error. */
void snapshot_exit_complain(const struct model *model, int64_t wait_ms);

/* The remedy for a cluster that is not connected, to follow the reason; "" if the reason contains it. */
const char *snapshot_exit_next_step(const struct cluster *cluster);

/* An election of the cluster matches, or it is not a pattern. */
bool snapshot_exit_is_matched(const struct cluster *cluster, const char *pattern);

#endif
