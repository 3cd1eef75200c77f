/*
 * exit_code.h - the exit status of a snapshot or a stream, and its message where it is not 0.
 */
#ifndef ELECTOP_TUI_COMMANDS_EXIT_CODE_H
#define ELECTOP_TUI_COMMANDS_EXIT_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/options.h"
#include "config/settings.h"
#include "probe/election/model.h"

/* 0; with strict 1 where something is not as it should be; 3 where no look could be had. */
int exit_code_status(const struct model *model, bool strict);

/* The same of a snapshot that ended before the whole tree had been searched for elections: without any, there
   was none; a sound result may be partial. Says so on standard error if it is not 0. */
int exit_code_unsearched(const struct model *model, const struct options *options);

/*
 * For --strict: is there a cluster that was reached and shows no election at all, or could not be searched
 * everywhere, or a pattern of its settings that matches none? Says so on standard error: an unseen election
 * was not judged.
 */
bool exit_code_complain_unjudged(const struct model *model, const struct settings *settings);

/* Where no look could be had: says why and what to do, on standard error. */
void exit_code_complain(const struct model *model, int64_t wait_ms);

/* Of a cluster that is not connected: what to do about it, to follow the reason; "" where that says it. */
const char *exit_code_next_step(const struct cluster *cluster);

/* An election of the cluster matches, or it is no pattern. */
bool exit_code_is_matched(const struct cluster *cluster, const char *pattern);

#endif
