#include "tui/screen/rescue.h"

#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static struct {
    volatile sig_atomic_t armed;
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

static void leave_terminal(void)
{
    if (!rescue.armed)
        return;
    rescue.armed = 0;
    ssize_t written = write(STDOUT_FILENO, rescue.leave, rescue.leave_length);
    (void)written; /* an error cannot be reported here */
    tcsetattr(STDOUT_FILENO, TCSANOW, &rescue.termios);
}

/* SA_RESETHAND has put the default back: raised again, the signal ends the process as it would have. */
static void on_fatal(int signal)
{
    leave_terminal();
    raise(signal);
}

bool rescue_remember(void)
{
    rescue.leave_length = 0;
    return tcgetattr(STDOUT_FILENO, &rescue.termios) == 0;
}

void rescue_send(const char *sequence)
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
void rescue_arm(void)
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
    rescue.armed = 1;
}

void rescue_disarm(void)
{
    rescue.armed = 0;
    for (int number = 1; number <= SIGRTMAX; number++) {
        struct sigaction old;
        if (sigaction(number, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == on_fatal)
            signal(number, SIG_DFL);
    }
}

void rescue_hold(bool held)
{
    rescue.armed = !held;
}
