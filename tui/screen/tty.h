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

/* Queues bytes and sends what the terminal takes now. False: out of memory, and nothing of it is sent. */
bool tty_send(struct tty *tty, const char *bytes, size_t length);
/* Sends what the terminal takes now. True: the queue is empty. */
bool tty_flush(struct tty *tty);

#endif
