/*
 * messages.h - what a command says: on standard output, into a file, and as a complaint.
 *
 * What returns an exit status has complained where it is another one than was given.
 */
#ifndef ELECTOP_TUI_COMMANDS_MESSAGES_H
#define ELECTOP_TUI_COMMANDS_MESSAGES_H

#include "probe/json/buffer.h"
#include "tui/exit_status.h"

/* "electop: what; what to do" on standard error, made safe for a terminal. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* How the writing to standard output ended (an errno; 0: well) as an exit status: status where all was
   written, EXIT_DONE where its reader has gone, which is no error. */
int message_ended(int error, int status);

/* Writes a whole text to standard output. */
int message_text(const char *text);
/* The same of what a sink has written; frees the bytes. */
int message_buffer(struct buffer *out, int status);
/* The same into a file, which is there as a whole or not at all; "-": standard output. */
int message_page(struct buffer *out, const char *file);

#endif
