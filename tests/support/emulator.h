/*
 * emulator.h - a program on a pseudo terminal, and the terminal that it talks to: libvterm reads what it
 * sends as a terminal would.
 *
 * Whatever waits here waits for 15 seconds at most, and listens meanwhile, so that the program is never held
 * up. What fails fails the running cmocka test.
 */
#ifndef ELECTOP_TESTS_SUPPORT_EMULATOR_H
#define ELECTOP_TESTS_SUPPORT_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>
#include <vterm.h>

struct emulator {
    pid_t child;
    int master, slave;
    VTerm *vterm;
    VTermScreen *screen;
    int width, height;
    bool altscreen, cursor;
    char *said; /* every byte that came */
    size_t said_length, said_room;
    struct termios before;
    int status; /* of the child; -1: still running */
};

/* Starts the running program itself once more, there, with these arguments. environment: "NAME=value", or
   "NAME" for one that is not set, ended by NULL; or NULL. */
struct emulator *emulator_open(int width, int height, const char *const *arguments,
                               const char *const *environment);
/* Ends the program where it still runs. */
void emulator_close(struct emulator *);

void emulator_type(struct emulator *, const char *bytes);
void emulator_resize(struct emulator *, int width, int height);

/* Until this is on the screen. */
void emulator_wait_for(struct emulator *, const char *text);
/* Until nothing has come for a while: a snapshot is complete then. */
void emulator_settle(struct emulator *);
/* A time that the test is about. */
void emulator_pause(struct emulator *, int ms);
/* Until the program has ended: its status is there then, 128 + n where signal n ended it. */
void emulator_wait_end(struct emulator *);

/* The screen as text, trailing blanks cut, like the grids; the caller frees it. */
char *emulator_text(struct emulator *);
bool emulator_shows(struct emulator *, const char *text);
/* An index of 256; UINT32_MAX: the terminal's own. */
uint32_t emulator_color_at(struct emulator *, int x, int y, bool background);
bool emulator_mouse_is_on(const struct emulator *);
/* Screen, cursor, mouse and line discipline are as before. */
void emulator_assert_restored(struct emulator *);

#endif
