/*
 * output.h - standard output: slow, full, or closed at any time.
 *
 * Two ways. output_write() is for a command that prints once and then ends: it may block.
 * struct output is for lines that come while a loop goes on: it never blocks, keeps up to OUTPUT_ROOM for a
 * slow reader, drops whole lines beyond that and counts them, and notices a reader that has gone even when
 * there is nothing to write. The descriptor's own flags are left alone, since it is shared with the program's
 * parent.
 *
 * SIGPIPE must be ignored. A closed output is not an error; output_is_gone() says which errno mean that.
 */
#ifndef ELECTOP_TUI_OUTPUT_OUTPUT_H
#define ELECTOP_TUI_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "probe/json/buffer.h"

/* Bytes kept for a slow reader: some thousand events. */
#define OUTPUT_ROOM (1 << 20)

/* Writes all of it, blocking. 0, or an errno. */
int output_write(int fd, const char *bytes, size_t length);

/* The reader has gone (or never was): to end quietly is right. */
bool output_is_gone(int error);

struct output_listener {
    /* Nothing can be written any more: errno says why. Called once, from the loop or from output_line(). */
    void (*ended)(void *context, int error);
    /* There is room again: append the line that says how many were dropped. */
    void (*dropped)(void *context, struct buffer *line, uint64_t count);
};

struct output;

/* Borrows fd, which must stay open. */
struct output *output_open(uv_loop_t *loop, int fd, const struct output_listener *listener, void *context);

/* Hands one line to one write(2) at once where the reader keeps up; else keeps or drops it. */
void output_line(struct output *output, const char *line, size_t length);

/* Waits at most so long for the reader to take the kept lines. */
void output_flush(struct output *output, int wait_ms);

/* Ends it; its memory goes when the loop has let go of its handles. NULL is fine. */
void output_close(struct output *output);

#endif
