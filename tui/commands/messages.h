/*
 * messages.h - the output of a command: on standard output, into a file, and as a complaint.
 *
 * Functions that return an exit status have complained if it differs from the given one.
 */
#ifndef ELECTOP_TUI_COMMANDS_MESSAGES_H
#define ELECTOP_TUI_COMMANDS_MESSAGES_H

#include "probe/json/buffer.h"
#include "tui/exit_status.h"

/* "electop: what; what to do" on standard error, made safe for a terminal. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Converts the end of writing to standard output (an errno; 0: success) to an exit status: status if
 * everything was written, EXIT_DONE if its reader has closed, which is not an error. */
int message_ended(int error, int status);

/* Writes a whole text to standard output. */
int message_text(const char *text);
/* The same for the bytes of a sink; frees them. */
int message_buffer(struct buffer *out, int status);
/* The same into a file, which is written completely or not at all; "-": standard output. */
int message_page(struct buffer *out, const char *file);

#endif
