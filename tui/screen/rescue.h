/*
 * rescue.h - the terminal as it was, also where the program crashes.
 *
 * Whatever signal would end the process first sends what leaves the terminal, puts its modes back, and takes
 * its course. Nothing may be computed by then: what is sent is made beforehand. There is one terminal, that
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
/* The terminal is somebody else's for a while: a signal then takes its course at once. */
void rescue_hold(bool held);

/* Puts the modes back, and sends nothing. */
void rescue_modes(void);

#endif
