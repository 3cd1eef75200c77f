#include "tui/screen/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "config/memory.h"

#define STALL_MS 200 /* a terminal that takes nothing for so long is stopped */
#define LEAVE_MS 500 /* its time to take the last bytes in */
#define STOPS_MOST 100
/* From a signal to the end. */
#ifdef __SANITIZE_ADDRESS__
#define OVERDUE_MS 5000 /* its search for leaks is slow */
#else
#define OVERDUE_MS 900
#endif

bool tty_open(struct tty *tty)
{
    *tty = (struct tty){0};
    struct termios input;
    return tcgetattr(STDIN_FILENO, &input) == 0 && tcgetattr(STDOUT_FILENO, &tty->original) == 0;
}

static struct {
    volatile sig_atomic_t signal; /* the first that came */
    void (*handler)(int);         /* libuv's: one for all signals */
    void (*overdue)(void);
} deadline;

static bool tty_is_others(void)
{
    pid_t group = tcgetpgrp(STDOUT_FILENO);
    return group >= 0 && group != getpgrp();
}

/* The modes of a terminal that is another job's by now are that one's. */
static void tty_set(const struct termios *modes)
{
    if (!tty_is_others())
        tcsetattr(STDOUT_FILENO, TCSANOW, modes);
}

void tty_take(struct tty *tty)
{
    struct termios modes = tty->original;
    modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL);
    modes.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR);
    modes.c_oflag &= ~(tcflag_t)(ONLCR | OCRNL | TABDLY); /* cursor movements must arrive as they are */
    modes.c_cc[VMIN] = 0;
    modes.c_cc[VTIME] = 0;
    /* Stopped in the background, as the kernel does it, but for a group that nobody could continue. */
    for (int i = 0; i < STOPS_MOST && !deadline.signal && tty_is_others(); i++)
        raise(SIGTTOU);
    tty_set(&modes);
}

size_t tty_read(struct tty *tty, void *bytes, size_t room)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    (void)tty;
    if (room == 0 || poll(&in, 1, 0) <= 0 || !(in.revents & POLLIN))
        return 0;
    ssize_t count = read(STDIN_FILENO, bytes, room);
    return count > 0 ? (size_t)count : 0;
}

bool tty_is_gone(const struct tty *tty)
{
    (void)tty;
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    int waiting = 0;
    if (poll(&in, 1, 0) <= 0)
        return false;
    if (in.revents & (POLLHUP | POLLERR | POLLNVAL))
        return true;
    /* Readable with nothing to read is an end of file. */
    return (in.revents & POLLIN) && ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting == 0;
}

void tty_send(struct tty *tty, const char *bytes, size_t length)
{
    size_t used = tty->queue_from + tty->queue_length;
    if (used + length > tty->queue_room && tty->queue_from > 0) {
        memmove(tty->queue, tty->queue + tty->queue_from, tty->queue_length);
        tty->queue_from = 0;
        used = tty->queue_length;
    }
    if (used + length > tty->queue_room) {
        size_t room = (used + length) * 2;
        char *grown = xreallocarray(tty->queue, room, 1);
        tty->queue = grown;
        tty->queue_room = room;
    }
    memcpy(tty->queue + used, bytes, length);
    tty->queue_length += length;
    tty_flush(tty);
}

/* One write that does not wait, whatever the open file's flags are. */
static ssize_t tty_write(const char *bytes, size_t length)
{
    int flags = fcntl(STDOUT_FILENO, F_GETFL);
    bool waits = flags >= 0 && !(flags & O_NONBLOCK);
    if (waits && fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK) != 0)
        return 0;
    ssize_t written = write(STDOUT_FILENO, bytes, length);
    int problem = errno;
    if (waits)
        fcntl(STDOUT_FILENO, F_SETFL, flags);
    errno = problem;
    return written;
}

bool tty_flush(struct tty *tty)
{
    while (tty->queue_length > 0) {
        ssize_t written = tty_write(tty->queue + tty->queue_from, tty->queue_length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && errno != EAGAIN)
            tty->is_broken = true;
        if (written <= 0)
            return false;
        tty->queue_from += (size_t)written;
        tty->queue_length -= (size_t)written;
    }
    tty->queue_from = 0;
    return true;
}

int64_t tty_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Sends the queue for as long as the terminal goes on taking it. */
static bool tty_drain(struct tty *tty, int patience_ms)
{
    int64_t until_ms = tty_now_ms() + patience_ms;
    while (!tty_flush(tty) && !tty->is_broken) {
        int64_t left_ms = until_ms - tty_now_ms();
        struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
        if (left_ms <= 0 || (poll(&out, 1, (int)left_ms) < 0 && errno != EINTR))
            return false;
    }
    return tty->queue_length == 0;
}

/* One stopped by a program goes on; one stopped by a key when keys cannot stop it. */
static void tty_go_on(void)
{
    struct termios modes;
    tcflow(STDOUT_FILENO, TCOON);
    if (tcgetattr(STDOUT_FILENO, &modes) == 0) {
        modes.c_iflag &= ~(tcflag_t)IXON;
        tty_set(&modes);
    }
}

void tty_give_back(struct tty *tty)
{
    if (!tty_drain(tty, STALL_MS) && !tty->is_broken) {
        tty_go_on();
        if (!tty_drain(tty, LEAVE_MS))
            tcflush(STDOUT_FILENO, TCOFLUSH);
    }
    tty->queue_length = tty->queue_from = 0;
    tty_set(&tty->original);
}

void tty_close(struct tty *tty)
{
    free(tty->queue);
    *tty = (struct tty){0};
}

static struct {
    volatile sig_atomic_t armed, held;
    struct termios termios;
    char leave[256];
    size_t leave_length;
} rescue;

/* Every other signal ends a process that does not catch it; among them are some that POSIX does not name. */
static bool is_fatal(int number)
{
    static const int others[] = {SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (number == others[i])
            return false;
    return true;
}

/* In a handler of signals: one that takes nothing is left as it is. */
static void leave_terminal(void)
{
    if (!rescue.armed)
        return;
    rescue.armed = 0;
    size_t left = rescue.leave_length;
    for (int tries = 0; tries < 2 && left > 0; tries++) {
        ssize_t written = tty_write(rescue.leave + rescue.leave_length - left, left);
        left -= written > 0 ? (size_t)written : 0;
        if (left > 0 && tries == 0) {
            struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
            tty_go_on();
            poll(&out, 1, LEAVE_MS);
        }
    }
    tty_set(&rescue.termios);
}

/* SA_RESETHAND has put the default back: raised again, the signal ends the process as it would have. */
static void on_fatal(int signal)
{
    leave_terminal();
    raise(signal);
}

bool tty_rescue_remember(void)
{
    rescue.leave_length = 0;
    return tcgetattr(STDOUT_FILENO, &rescue.termios) == 0;
}

void tty_rescue_send(const char *sequence)
{
    if (!sequence)
        return;
    while (*sequence && rescue.leave_length + 1 < sizeof(rescue.leave)) {
        if (sequence[0] == '$' && sequence[1] == '<') {
            const char *end = strchr(sequence, '>');
            if (end) {
                sequence = end + 1;
                continue;
            }
        }
        rescue.leave[rescue.leave_length++] = *sequence++;
    }
}

/*
 * A crash may be an exhausted stack, so its handler has a separate stack. Signals that already have a
 * handler (a sanitizer's) keep it: it prints its report and ends in SIGABRT.
 */
void tty_rescue_arm(void)
{
    static char stack[16384];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)}, before;
    if (sigaltstack(NULL, &before) == 0 && (before.ss_flags & SS_DISABLE))
        sigaltstack(&other, NULL);
    for (int number = 1; number <= SIGRTMAX; number++) {
        struct sigaction action = {.sa_handler = on_fatal,
                                   .sa_flags = (int)SA_RESETHAND | SA_ONSTACK | SA_NODEFER},
                         old;
        if (is_fatal(number) && sigaction(number, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
            old.sa_handler == SIG_DFL)
            sigaction(number, &action, NULL);
    }
    memory_on_exhausted(leave_terminal); /* before its line is printed */
    rescue.armed = 1;
}

void tty_rescue_disarm(void)
{
    rescue.armed = 0;
    memory_on_exhausted(NULL);
    for (int number = 1; number <= SIGRTMAX; number++) {
        struct sigaction old;
        if (sigaction(number, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == on_fatal)
            signal(number, SIG_DFL);
    }
}

void tty_rescue_hold(bool held)
{
    rescue.held = held;
    rescue.armed = !held;
}

static void deadline_set(int ms)
{
    struct itimerval timer = {.it_value = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void on_deadline(int number)
{
    (void)number;
    leave_terminal();
    if (deadline.overdue)
        deadline.overdue();
    _exit(128 + deadline.signal);
}

static void on_ending(int number)
{
    bool typed = number == SIGINT || number == SIGQUIT;
    if (!deadline.signal && !(rescue.held && typed)) {
        struct sigaction action = {.sa_handler = on_deadline};
        deadline.signal = number;
        signal(SIGTTOU, SIG_IGN); /* in the background, the terminal would stop us for good */
        sigaction(SIGALRM, &action, NULL);
        deadline_set(OVERDUE_MS);
    }
    deadline.handler(number);
}

void tty_deadline_arm(bool at_hangup)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers - !at_hangup; i++) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) != 0 || (action.sa_flags & SA_SIGINFO) ||
            action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN || action.sa_handler == on_ending ||
            (deadline.handler && action.sa_handler != deadline.handler)) /* it ends the program by itself */
            continue;
        deadline.handler = action.sa_handler;
        action.sa_handler = on_ending;
        sigaction(numbers[i], &action, NULL);
    }
}

void tty_deadline_overdue(void (*fn)(void))
{
    deadline.overdue = fn;
}

void tty_deadline_lift(void)
{
    if (deadline.signal)
        deadline_set(0);
    deadline.signal = 0;
}
