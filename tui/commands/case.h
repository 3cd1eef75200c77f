/*
 * case.h - opens a case for a command.
 */
#ifndef ELECTOP_TUI_COMMANDS_CASE_H
#define ELECTOP_TUI_COMMANDS_CASE_H

#include <stdint.h>

#include "config/options.h"
#include "probe/case/case_file.h"

/* That file, or all of --replay as one, at its beginning, with the wall-clock bounds of its observations. Damage
 * has been printed. NULL: the reason has been printed. */
struct case_reader *command_case_open(const struct options *options, const char *file, int64_t *from_us,
                                      int64_t *to_us);

#endif
