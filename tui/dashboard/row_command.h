/*
 * row_command.h - the arguments of a command of the configuration, with the facts of the selected row.
 */
#ifndef ELECTOP_TUI_DASHBOARD_ROW_COMMAND_H
#define ELECTOP_TUI_DASHBOARD_ROW_COMMAND_H

#include <stddef.h>

#include "probe/election/election.h"

/* The words between braces; NULL at the end. */
extern const char *const row_command_words[];

/*
 * path: that of the row, of the election or of one of its candidates; of an election, the candidate is its
 * leader. A malloc'd list of malloc'd texts for host_list_free(); NULL, and the reason in problem: a fact is not
 * known, or would be an option or a control character where no one wrote one.
 */
char **row_command_make(char *const *run, const struct election *election, const char *path, char *problem,
                        size_t size);

#endif
