/*
 * tty.h - the terminal as a device: its modes, reading without waiting, and output that is queued.
 *
 * Nothing here blocks. Reading returns what has arrived, because the line discipline runs with VMIN 0 and
 * VTIME 0 and is polled before. What the terminal does not take at once (Ctrl-S, a slow line) stays in the
 * queue; the event loop and its signals go on.
 *
 * Standard input and output share their open file with the shell that started the program, so O_NONBLOCK is
 * set only for the duration of one write.
 */
#ifndef ELECTOP_TUI_SCREEN_TTY_H
#define ELECTOP_TUI_SCREEN_TTY_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

struct tty {
    struct termios original;
    char *queue; /* what the terminal has not taken yet */
    size_t queue_from, queue_length, queue_room;
    bool is_broken; /* it takes nothing any more */
};

/* Remembers the modes. False: standard output or input is no terminal (errno). */
bool tty_open(struct tty *tty);

/* Every key at once and without echo; signal keys and flow control stay. Again after others changed the
 * modes. */
void tty_take(struct tty *tty);

/*
 * The original modes, after what is queued has been sent. A terminal that was stopped with Ctrl-S is started
 * again, since the end of the program must not wait for a Ctrl-Q. After half a second the rest is given up.
 */
void tty_give_back(struct tty *tty);

/* Frees the queue. */
void tty_close(struct tty *tty);

/* Reads pending input; 0: none. */
size_t tty_read(struct tty *tty, void *bytes, size_t room);
/* The terminal is gone: hung up, or closed. */
bool tty_is_gone(const struct tty *tty);

/* Queues bytes and sends what the terminal takes now. */
void tty_send(struct tty *tty, const char *bytes, size_t length);
/* Sends what the terminal takes now. True: the queue is empty. */
bool tty_flush(struct tty *tty);

/*
 * Restores the terminal, also when the program crashes.
 *
 * A fatal signal first sends the bytes that leave the terminal, restores its modes, and takes
 * its course. Nothing may be computed by then: the bytes are prepared beforehand. There is one terminal, that
 * of standard output, so there is one of these.
 */

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
