/*
 * command_recording.h - opens a recording for a command, and reads the moments of its options.
 */
#ifndef ELECTOP_TUI_COMMANDS_COMMAND_RECORDING_H
#define ELECTOP_TUI_COMMANDS_COMMAND_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/history/history.h"
#include "probe/json/buffer.h"
#include "tui/commands/command.h"

/* The named file, else the configured one; malloc'd. NULL: the reason has been printed. */
char *command_recording_file(const struct invocation *invocation, const char *named);

/* The recording of the configuration; NULL: there is none, or it cannot be read, which is no error here. */
struct history *command_recording_configured(const struct history_settings *settings);

/* Opened, with its bounds; NULL: the reason has been printed. */
struct history *command_recording_open(const char *file, int64_t *from_us, int64_t *to_us);

/* The moment of an option, relative to the end of the recording; text NULL: otherwise_us. False: it is
 * outside, and a message has been printed. */
bool command_recording_moment(const char *option, const char *text, int64_t from_us, int64_t to_us,
                              int64_t otherwise_us, int64_t *at_us);

/* Whether this path was requested (all, if none was). */
bool command_recording_wants(const struct options *options, const struct election *election);

/* Appends a snapshot in the form that was asked for; a document has the failovers which the history kept before
 * it (NULL: no history). */
void command_recording_snapshot(struct buffer *out, const struct model *model, struct moment at,
                                const struct invocation *invocation, struct history *history);

#endif
