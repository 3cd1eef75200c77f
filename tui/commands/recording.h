/*
 * recording.h - opening a recording for a command, and what was said of its moments.
 */
#ifndef ELECTOP_TUI_COMMANDS_RECORDING_H
#define ELECTOP_TUI_COMMANDS_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/history/history.h"
#include "tui/commands/command.h"

/* The file that was named, else the configured one; malloc'd. NULL: why has been told. */
char *recording_file(const struct invocation *, const char *named);

/* Opened, with its bounds; NULL: why has been told. */
struct history *recording_open(const char *file, int64_t *from_us, int64_t *to_us);

/* A moment as it was asked for, seen from the end of the recording; text NULL: otherwise_us. False: it is
   not within, which has been told. */
bool recording_moment(const char *option, const char *text, int64_t from_us, int64_t to_us,
                      int64_t otherwise_us, int64_t *at_us);

/* Is it one of the paths that were asked for (all, where none was)? */
bool recording_wants(const struct options *, const struct election *);

/* A json_look_kept_fn: what the recording knows of an election's failovers before a moment. */
struct recording_kept {
    struct history *history;
    int64_t at_us;
};
bool recording_figures(void *kept, const struct election *, struct failover_figures *);

#endif
