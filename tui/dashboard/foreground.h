/*
 * foreground.h - a command of the configuration, which has the terminal until it ends.
 *
 * The loop goes on: sessions stay alive however long it takes.
 */
#ifndef ELECTOP_TUI_DASHBOARD_FOREGROUND_H
#define ELECTOP_TUI_DASHBOARD_FOREGROUND_H

#include <uv.h>

struct foreground;
/* how: "ended", "ended with status 2", "was ended by signal 15". */
typedef void (*foreground_fn)(void *context, const char *how);

/*
 * Starts the program of the argument vector, without a shell, on the terminal, which must have been given back.
 * NULL: it cannot be started; *error is a static text. fn is called once, from the loop.
 */
struct foreground *foreground_begin(uv_loop_t *loop, char **arguments, foreground_fn fn, void *context,
                                    const char **error);
/* One that stopped itself goes on: it gets Ctrl-C, which it has not seen. */
void foreground_continue(struct foreground *foreground);
/* Ends it where it still runs; fn is not called. NULL is allowed. */
void foreground_end(struct foreground *foreground);

#endif
