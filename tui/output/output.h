/*
 * output.h - standard output: slow, full, or closed at any time.
 *
 * Two ways. output_write() is for a command that prints once and then ends: it may block, until a second after a
 * signal. struct output is for lines printed while a loop runs: it never blocks, keeps up to OUTPUT_ROOM for a slow
 * reader, drops and counts whole lines beyond that, and notices that the reader has closed even without output.
 * The descriptor's own flags are unchanged, since it is shared with the program's parent.
 *
 * SIGPIPE must be ignored. A closed output is not an error; output_is_gone() recognises the errno values for
 * it.
 */
#ifndef ELECTOP_TUI_OUTPUT_OUTPUT_H
#define ELECTOP_TUI_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "probe/json/buffer.h"

/* Bytes kept for a slow reader: 10,000 candidates that leave at once, which is one turn of the loop. */
#define OUTPUT_ROOM (4 << 20)

/* Writes all of it, blocking. 0, or an errno; ECANCELED if a signal came that the program catches, and no reader for a
 * second after it. */
int output_write(int fd, const char *bytes, size_t length);
/* A signal has come, or is dealt with. */
void output_hurry(bool hurry);

/* The reader has gone: the program should end quietly. */
bool output_is_gone(int error);

struct output;

/* There is room again: append a line with the number of dropped lines. */
typedef void (*output_dropped_fn)(void *context, struct buffer *line, uint64_t count);

/* Borrows fd, which must stay open. */
struct output *output_open(uv_loop_t *loop, int fd, output_dropped_fn dropped, void *context);

/* Output has failed for good: an errno; 0: it is well. It fails in the loop, or in output_line(). */
int output_error(const struct output *output);

/* Writes one line at once with a single write(2) if the reader keeps up; else keeps or drops it. */
void output_line(struct output *output, const char *line, size_t length);

/* Waits for the reader to take the kept lines, up to this limit. */
void output_flush(struct output *output, int wait_ms);

/* Ends it; its memory is freed when the loop has closed its handles. NULL is allowed. */
void output_close(struct output *output);

#endif
