/*
 * verdict.h - what a look or a stream amounts to as an exit status, and what is said where it is not 0.
 */
#ifndef ELECTOP_TUI_COMMANDS_VERDICT_H
#define ELECTOP_TUI_COMMANDS_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "config/options.h"
#include "config/settings.h"
#include "probe/election/model.h"

/* 0; with strict 1 where something is not as it should be; 3 where no look could be had. */
int verdict_status(const struct model *, bool strict);

/* The same of a look that ended before elections had been searched for everywhere: without one, none was had;
   what is sound may be so in part only. Says so on standard error where it is not 0. */
int verdict_unsearched(const struct model *, const struct options *);

/*
 * For --strict: is there a cluster that was reached and shows no election at all, or could not be searched
 * everywhere, or a pattern of its settings that matches none? Says so on standard error: what was not seen
 * was not judged.
 */
bool verdict_complain_unjudged(const struct model *, const struct settings *);

/* Where no look could be had: says why and what to do, on standard error. */
void verdict_complain(const struct model *, int64_t wait_ms);

#endif
