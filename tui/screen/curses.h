/*
 * curses.h - the terminal: shows a grid of cells, reads keys and clicks, and restores everything.
 *
 * The only module that includes curses, which works out the bytes to send and neither reads nor writes the
 * terminal. Nothing here waits for the terminal. There is one terminal, so there is one of these at a time.
 *
 * The terminal is restored by curses_close(), and without it when the process crashes (SIGSEGV, SIGBUS,
 * SIGFPE, SIGILL, SIGABRT: restored from the handler, then the signal takes its course). Signals that end or
 * stop a program in good order belong to the owner of the loop: it calls curses_close(), curses_suspend().
 */
#ifndef ELECTOP_TUI_SCREEN_CURSES_H
#define ELECTOP_TUI_SCREEN_CURSES_H

#include <stdbool.h>

#include "config/options.h"
#include "config/settings.h"
#include "tui/screen/cells.h"
#include "tui/screen/key_decoder.h"
#include "tui/screen/theme.h"

struct curses;

/*
 * Takes the terminal of standard input and output. NULL, and a text in *error ("what; what to do", caller
 * frees) where there is none, or TERM is unset, unknown, or not able to place a cursor.
 */
struct curses *curses_open(const struct screen_settings *settings, enum color_choice color, char **error);
void curses_close(struct curses *curses);

/* The locale's character set is not UTF-8, or the user wants ASCII. */
bool curses_is_ascii(const struct curses *curses);
int curses_descriptor(const struct curses *curses);
int curses_output_descriptor(const struct curses *curses);

/* Reads the terminal's size anew; at least 1 by 1. Call it first and after SIGWINCH. */
void curses_measure(struct curses *curses, int *width, int *height);

/*
 * Shows a grid; only what differs from the one before is sent. False: the terminal takes no output now (it is
 * stopped, or its line is slow), so nothing was shown; try again later.
 */
bool curses_show(struct curses *curses, const struct cells *cells);
/* Sends what the terminal takes of a picture that it did not take at once. True: nothing is left. */
bool curses_flush(struct curses *curses);
/* The next curses_show() sends everything, whatever other programs may have written. */
void curses_redraw(struct curses *curses);

/*
 * The next key that has been pressed; false: none waits. It never waits for a byte, also in the middle of a
 * sequence. KEY_CODE_ANSWER and KEY_CODE_NONE are no keys; the second wants a redraw.
 */
bool curses_key(struct curses *curses, struct key_press *press);
/* In how many ms to call curses_key() again although nothing arrives (an Escape key is known by that); -1:
 * never. */
int curses_key_wait_ms(const struct curses *curses);
/* The terminal is gone: hung up, or closed. */
bool curses_is_gone(const struct curses *curses);

/* Rings the terminal's bell. */
void curses_ring(struct curses *curses);

/* Gives the terminal back for a while (Ctrl-Z), and takes it again. */
void curses_suspend(struct curses *curses);
void curses_resume(struct curses *curses);

/* Puts text into the clipboard of the terminal's user (OSC 52), where the terminal allows it. False: too
 * long. */
#define CLIPBOARD_BYTES 4096
bool curses_copy(struct curses *curses, const char *text);

#endif
