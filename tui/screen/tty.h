/*
 * tty.h - the terminal as a device: its modes, non-blocking input, and queued output.
 *
 * Nothing here blocks. Reading returns the bytes that have arrived: the line discipline uses VMIN 0 and VTIME
 * 0, and is polled before. Output that the terminal does not accept at once (Ctrl-S, a slow line) stays in
 * the queue; the event loop and its signals continue.
 *
 * Standard input and output share their open file with the shell that started the program, so O_NONBLOCK is
 * set only during a single write.
 */
#ifndef ELECTOP_TUI_SCREEN_TTY_H
#define ELECTOP_TUI_SCREEN_TTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

struct tty {
    struct termios original;
    char *queue; /* bytes that the terminal has not accepted yet */
    size_t queue_from, queue_length, queue_room;
    bool is_broken; /* it accepts nothing any more */
};

/* Stores the modes. False: standard output or input is not a terminal (errno). */
bool tty_open(struct tty *tty);

/* Delivers every key at once and without echo; signal keys and flow control stay. Call it again after other
 * programs changed the modes. */
void tty_take(struct tty *tty);

/*
 * Restores the original modes after sending the queue. A terminal stopped with Ctrl-S is started again, since
 * the end of the program must not wait for a Ctrl-Q. After half a second the rest is discarded.
 */
void tty_give_back(struct tty *tty);

/* Frees the queue. */
void tty_close(struct tty *tty);

/* Reads pending input; 0: none. */
size_t tty_read(struct tty *tty, void *bytes, size_t room);
/* The terminal is lost: hung up, or closed. */
bool tty_is_gone(const struct tty *tty);

/* Queues bytes and sends what the terminal takes now. */
void tty_send(struct tty *tty, const char *bytes, size_t length);
/* Sends what the terminal takes now. True: the queue is empty. */
bool tty_flush(struct tty *tty);

/* Of the monotonic clock. */
int64_t tty_now_ms(void);

/*
 * Restores the terminal, even if the program crashes.
 *
 * A fatal signal first sends the bytes that leave the screen, restores the terminal's modes, and then takes
 * effect. Nothing can be computed by then, so the bytes are prepared beforehand. There is one terminal, that
 * of standard output, so only one of these exists.
 */

/* Stores the terminal's modes; there are no bytes to send yet. False: errno says why. */
bool tty_rescue_remember(void);
/* Adds a sequence that leaves the screen, without its padding ("$<5>"), which only old hardware needed. NULL:
 * the terminal has none. */
void tty_rescue_send(const char *sequence);

/* Active until tty_rescue_disarm(). */
void tty_rescue_arm(void);
void tty_rescue_disarm(void);
/* Another program uses the terminal for a while: a signal then takes effect at once. */
void tty_rescue_hold(bool held);

/*
 * After SIGINT, SIGTERM or SIGQUIT the program ends within a second, whatever it does: a library may wait where
 * no signal reaches it (for a pipe that the environment names), and to release a million candidates takes
 * seconds. For signals that libuv handles already: its handlers stay, and are called. What is typed while the
 * terminal is held is for the other program. at_hangup: also after SIGHUP, which others take as a wish to read their
 * configuration again.
 */
void tty_deadline_arm(bool at_hangup);
/* Called in a handler of signals, if the program has to be ended so. */
void tty_deadline_overdue(void (*fn)(void));
/* The loop has heard the signal, and what it does now may take longer. */
void tty_deadline_lift(void);

#endif
