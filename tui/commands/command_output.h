/*
 * command_output.h - the output of a command: on standard output, into a file, and as a complaint.
 *
 * Functions that return an exit status return the given one on success. On failure they print an error and
 * return another.
 */
#ifndef ELECTOP_TUI_COMMANDS_COMMAND_OUTPUT_H
#define ELECTOP_TUI_COMMANDS_COMMAND_OUTPUT_H

#include <uv.h>

#include "probe/json/buffer.h"
#include "probe/log.h"
#include "tui/exit_status.h"

/* "electop: what; what to do" on standard error, made safe for a terminal. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same of a problem that is freed. False: NULL, there is none. */
bool complain_problem(char *problem);
/* The same, and each line also in the log: the standard error of a service may be lost. */
void complain_and_log(enum log_level level, const char *lines);

/*
 * A message on standard output or standard error; complain() is one of them. While a loop runs, it does not wait:
 * messages are kept for a slow reader, then dropped and counted.
 */
void command_output_message(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* How far a command is, in a line of a terminal on standard error that the next one replaces. NULL: it goes. */
void command_output_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A loop begins, perhaps inside another one; it ends. */
void command_output_begin(uv_loop_t *loop);
void command_output_end(void);

/* After writing to standard output (error: an errno; 0: success). Returns status; EXIT_DONE if the reader of the
 * pipe has closed it, which is no error; EXIT_USAGE after another error. */
int command_output_ended(int error, int status);

/* Writes a whole text to standard output. */
int command_output_text(const char *text);
/* The same for the bytes of a buffer; frees them. */
int command_output_buffer(struct buffer *out, int status);
/* The same into a file, which is written completely or not at all; "-": standard output. */
int command_output_page(struct buffer *out, const char *file);

#endif
