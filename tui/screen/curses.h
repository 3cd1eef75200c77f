/*
 * curses.h - the terminal: shows a grid of cells, reads keys and clicks, and restores everything.
 *
 * The only module that includes curses, which computes the bytes to send and neither reads nor writes the
 * terminal. Nothing here waits for the terminal. There is one terminal, so only one of these exists at a
 * time.
 *
 * curses_close() restores the terminal. If the process crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT),
 * the signal handler restores it, then the signal takes effect. Signals that end or stop a program normally
 * belong to the owner of the loop, which calls curses_close() or curses_suspend().
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
 * Takes the terminal of standard input and output. NULL, and a text in *error ("what; what to do", the caller
 * frees it), if there is none, or TERM is unset, unknown, or cannot place a cursor.
 */
struct curses *curses_open(const struct screen_settings *settings, enum color_choice color, char **error);
void curses_close(struct curses *curses);

/* The locale's character set is not UTF-8, or the user wants ASCII. */
bool curses_is_ascii(const struct curses *curses);

/* Reads the terminal's size anew; at least 1 by 1. Call it first and after SIGWINCH. */
void curses_measure(struct curses *curses, int *width, int *height);

/*
 * Shows a grid; sends only the changes. False: the terminal accepts no output now (it is stopped, or its line
 * is slow), so nothing was shown; try again later.
 */
bool curses_show(struct curses *curses, const struct cells *cells);
/* Sends the rest of a partly sent screen, as far as the terminal accepts it. True: nothing is left. */
bool curses_flush(struct curses *curses);
/* The next curses_show() sends everything, to replace the output of other programs. */
void curses_redraw(struct curses *curses);

/*
 * The next pressed key; false: none. Never waits for a byte, even in the middle of a sequence.
 * KEY_CODE_ANSWER and KEY_CODE_NONE are not keys; the second asks for a redraw.
 */
bool curses_key(struct curses *curses, struct key_press *press);
/* The delay in ms before curses_key() must be called again without input (this recognises an Escape key); -1:
 * never. */
int curses_key_wait_ms(const struct curses *curses);
/* The terminal is lost: hung up, or closed. */
bool curses_is_gone(const struct curses *curses);

/* Rings the terminal's bell. */
void curses_ring(struct curses *curses);
/* The same, and a notification of the desktop (OSC 9 and OSC 777), where the terminal knows one of them. */
void curses_notify(struct curses *curses, const char *text);

/* Returns the terminal for a while (Ctrl-Z), and takes it again. */
void curses_suspend(struct curses *curses);
void curses_resume(struct curses *curses);
/* Between the two: gives the terminal's modes back once more, however a program has left them, and prints a line. */
void curses_say_suspended(struct curses *curses, const char *line);

/* Puts text into the clipboard of the terminal's user (OSC 52), where the terminal allows it. False: too
 * long. */
#define CLIPBOARD_BYTES 16383
bool curses_copy(struct curses *curses, const char *text);

#endif
