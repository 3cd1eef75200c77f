/*
 * verdict.h - what a look or a stream amounts to as an exit status, and what is said where it is not 0.
 */
#ifndef ELECTOP_TUI_COMMANDS_VERDICT_H
#define ELECTOP_TUI_COMMANDS_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/election/model.h"

/* 0; with strict 1 where something is not as it should be; 3 where no look could be had. */
int verdict_status(const struct model *, bool strict);

/* Where no look could be had: says why and what to do, on standard error. */
void verdict_complain(const struct model *, int64_t wait_ms);

#endif
