/*
 * curses.h - the terminal: shows a grid of cells, reads keys and clicks, and leaves everything as it was.
 *
 * The only module that includes curses. There is one terminal, so there is one of these at a time.
 *
 * The terminal is restored by curses_close(), and without it when the process crashes (SIGSEGV, SIGBUS,
 * SIGFPE, SIGILL, SIGABRT: restored from the handler, then the signal takes its course). Signals that end or
 * stop a program in good order belong to whoever runs the loop: it calls curses_close(), curses_suspend().
 */
#ifndef ELECTOP_TUI_SCREEN_CURSES_H
#define ELECTOP_TUI_SCREEN_CURSES_H

#include <stdbool.h>

#include "config/options.h"
#include "config/settings.h"
#include "tui/screen/cells.h"
#include "tui/screen/theme.h"

struct curses;

/*
 * Takes the terminal of standard input and output. NULL, and a text in *error ("what; what to do", caller
 * frees) where there is none, or TERM is unset, unknown, or not able to place a cursor.
 */
struct curses *curses_open(const struct screen_settings *, enum color_choice, char **error);
void curses_close(struct curses *);

/* The locale's character set is not UTF-8, or the user wants ASCII. */
bool curses_is_ascii(const struct curses *);
int curses_descriptor(const struct curses *);

/* Reads the terminal's size anew; at least 1 by 1. Call it first and after SIGWINCH. */
void curses_measure(struct curses *, int *width, int *height);

/*
 * Shows a grid; only what differs from the one before is sent. False: the terminal takes no output now (it is
 * stopped, or its line is slow), so nothing was shown; try again later.
 */
bool curses_show(struct curses *, const struct cells *);
/* The next curses_show() sends everything, whatever the terminal may have been told by others. */
void curses_redraw(struct curses *);

struct key_press {
    int key;  /* as in keys.h */
    int x, y; /* of clicks and wheels */
};
/* The next key that has been pressed; false: none waits. */
bool curses_key(struct curses *, struct key_press *);
/* The terminal is gone: hung up, or closed. */
bool curses_is_gone(const struct curses *);

/* Gives the terminal back for a while (Ctrl-Z), and takes it again. */
void curses_suspend(struct curses *);
void curses_resume(struct curses *);

/* Puts text into the clipboard of the terminal's user (OSC 52), where the terminal allows it. False: too
 * long. */
#define CLIPBOARD_BYTES 4096
bool curses_copy(struct curses *, const char *text);

#endif
