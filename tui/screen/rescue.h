/*
 * rescue.h - restores the terminal, also when the program crashes.
 *
 * A fatal signal first sends the bytes that leave the terminal, restores its modes, and takes
 * its course. Nothing may be computed by then: the bytes are prepared beforehand. There is one terminal, that
 * of standard output, so there is one of these.
 */
#ifndef ELECTOP_TUI_SCREEN_RESCUE_H
#define ELECTOP_TUI_SCREEN_RESCUE_H

#include <stdbool.h>

/* Remembers the terminal's modes; nothing is to be sent yet. False: errno says why. */
bool rescue_remember(void);
/* One more sequence that leaves the terminal, without its padding ("$<5>"), which only old hardware wanted.
   NULL: the terminal has none. */
void rescue_send(const char *sequence);

/* From now on, until rescue_disarm(). */
void rescue_arm(void);
void rescue_disarm(void);
/* Another program has the terminal for a while: a signal then takes its course at once. */
void rescue_hold(bool held);

#endif
