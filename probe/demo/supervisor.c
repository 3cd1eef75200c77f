#define _GNU_SOURCE /* close_range, pipe2, _Fork */
#include "probe/demo/supervisor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/memory.h"

#define MESSAGE_TEXT 8192
#define ARGUMENTS 64
#define TREE_DEPTH 16
#define END_WAIT_MS 5000

enum order { ORDER_START, ORDER_SIGNAL, ORDER_KILL, ORDER_RUNNING, ORDER_WIPE };

/* A question to the supervisor: one packet. Its text is a list of NUL-terminated strings. */
struct question {
    enum order order;
    int slot;
    int signal;
    size_t length;
    char text[MESSAGE_TEXT];
};

/* The answer: a result as the functions above return it. The first one (unasked) brings the directory. */
struct supervisor_answer {
    int result;
    char directory[256];
};

struct supervisor {
    int socket;
    pid_t pid;
    char directory[256];
};

static void reap(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* ---- in the supervisor process ---- */

struct held {
    int socket;
    int directory_fd;
    char directory[256];
    pid_t slots[SUPERVISOR_SLOTS]; /* 0: empty */
};

/* Empties and removes a directory. Follows no link, so it never leaves that directory. */
static int tree_remove(int parent_fd, const char *name, int depth)
{
    int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : -errno;
    DIR *directory = fdopendir(fd);
    if (!directory) {
        close(fd);
        return -ENOMEM;
    }
    int worst = 0;
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (unlinkat(fd, entry->d_name, 0) == 0 || errno == ENOENT)
            continue;
        int result = depth > 0 ? tree_remove(fd, entry->d_name, depth - 1) : -ELOOP;
        if (result < 0)
            worst = result;
    }
    closedir(directory);
    if (unlinkat(parent_fd, name, AT_REMOVEDIR) != 0 && errno != ENOENT && worst == 0)
        worst = -errno;
    return worst;
}

static void signals_reset(void)
{
    struct sigaction plain;
    memset(&plain, 0, sizeof plain);
    plain.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &plain, NULL);
}

static void signals_unblock(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Runs in the server's process and does not return. report: where errno goes when it cannot be run. */
static void supervisor_server_run(const struct held *held, pid_t supervisor, const char *log, char **argv,
                                  int report)
{
    signals_reset();
    signals_unblock();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor) /* died before the line above */
        _exit(127);
    int out = openat(held->directory_fd, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (out >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(out, STDERR_FILENO) >= 0 &&
        fchdir(held->directory_fd) == 0)
        execvp(argv[0], argv);
    int problem = errno;
    ssize_t ignored = write(report, &problem, sizeof problem);
    (void)ignored;
    _exit(127);
}

static bool slot_running(struct held *held, int slot)
{
    pid_t pid = held->slots[slot];
    if (pid == 0)
        return false;
    pid_t gone = waitpid(pid, NULL, WNOHANG);
    if (gone == 0 || (gone < 0 && errno == EINTR))
        return true;
    held->slots[slot] = 0;
    return false;
}

static void slot_kill(struct held *held, int slot)
{
    pid_t pid = held->slots[slot];
    if (pid == 0)
        return;
    kill(pid, SIGKILL);
    reap(pid);
    held->slots[slot] = 0;
}

static int slot_start(struct held *held, struct question *question)
{
    if (slot_running(held, question->slot))
        return -EBUSY;
    const char *log = question->text;
    char *argv[ARGUMENTS + 1];
    size_t count = 0;
    for (size_t at = strlen(log) + 1; at < question->length; at += strlen(question->text + at) + 1) {
        if (count == ARGUMENTS)
            return -E2BIG;
        argv[count++] = question->text + at;
    }
    argv[count] = NULL;
    if (count == 0)
        return -EINVAL;

    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        return -errno;
    pid_t supervisor = getpid();
    /* Not fork(): it runs the libraries' handlers, and libuv's closes descriptors that are ours by now. */
    pid_t pid = _Fork();
    if (pid == 0)
        supervisor_server_run(held, supervisor, log, argv, report[1]);
    int result = pid < 0 ? -errno : (int)pid;
    close(report[1]);
    if (pid > 0) {
        /* exec closes the pipe; anything read from it is why there was no exec. */
        int problem;
        if (read(report[0], &problem, sizeof problem) == (ssize_t)sizeof problem) {
            reap(pid);
            result = -problem;
        } else {
            held->slots[question->slot] = pid;
        }
    }
    close(report[0]);
    return result;
}

static int order_follow(struct held *held, struct question *question)
{
    if (question->slot < 0 || question->slot >= SUPERVISOR_SLOTS)
        return -EINVAL;
    switch (question->order) {
    case ORDER_START:
        return slot_start(held, question);
    case ORDER_SIGNAL:
        if (!slot_running(held, question->slot))
            return -ESRCH;
        return kill(held->slots[question->slot], question->signal) == 0 ? 0 : -errno;
    case ORDER_KILL:
        slot_kill(held, question->slot);
        return 0;
    case ORDER_RUNNING:
        return slot_running(held, question->slot);
    case ORDER_WIPE:
        return tree_remove(held->directory_fd, question->text, TREE_DEPTH);
    }
    return -EINVAL;
}

static bool answer_send(const struct held *held, const struct supervisor_answer *answer)
{
    ssize_t sent;
    do
        sent = send(held->socket, answer, sizeof *answer, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof *answer;
}

static bool directory_make(struct held *held, const char *prefix)
{
    const char *parent = getenv("TMPDIR");
    if (!parent || parent[0] != '/')
        parent = "/tmp";
    int length = snprintf(held->directory, sizeof held->directory, "%s/%sXXXXXX", parent, prefix);
    if (length < 0 || (size_t)length >= sizeof held->directory) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (!mkdtemp(held->directory))
        return false;
    held->directory_fd = open(held->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (held->directory_fd >= 0)
        return true;
    int problem = errno;
    rmdir(held->directory);
    errno = problem;
    return false;
}

/* Leaves the program's session, signals and descriptors behind; only the socket stays. */
static void detach(struct held *held)
{
    setsid();
    prctl(PR_SET_NAME, "electop-sandbox");
    signals_reset();
    struct sigaction deaf;
    memset(&deaf, 0, sizeof deaf);
    deaf.sa_handler = SIG_IGN;
    static const int ignored[] = {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGTSTP};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        sigaction(ignored[i], &deaf, NULL);
    signals_unblock();

    int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0)
        for (int fd = 0; fd < 3; fd++)
            dup2(nothing, fd);
    if (held->socket != 3 && dup2(held->socket, 3) == 3)
        held->socket = 3;
    fcntl(held->socket, F_SETFD, FD_CLOEXEC);
    if (close_range(4, ~0U, 0) != 0)
        for (int fd = 4; fd < 65536; fd++)
            close(fd);
}

/*
 * The process: carries out commands until the program's end closes. The program may have had threads when it
 * forked this; calls that are not async-signal-safe (readdir's malloc) are kept usable by glibc.
 */
static void supervise(int socket, const char *prefix)
{
    struct held held = {.socket = socket, .directory_fd = -1};
    detach(&held);
    struct supervisor_answer answer = {.result = 0};
    if (!directory_make(&held, prefix)) {
        answer.result = -errno;
        answer_send(&held, &answer);
        _exit(1);
    }
    memcpy(answer.directory, held.directory, sizeof answer.directory);
    bool reported = answer_send(&held, &answer);
    while (reported) {
        static struct question question;
        ssize_t got = recv(held.socket, &question, sizeof question, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got != (ssize_t)sizeof question)
            break;
        question.text[MESSAGE_TEXT - 1] = '\0';
        if (question.length > MESSAGE_TEXT)
            question.length = MESSAGE_TEXT;
        answer.result = order_follow(&held, &question);
        reported = answer_send(&held, &answer);
    }
    for (int slot = 0; slot < SUPERVISOR_SLOTS; slot++)
        slot_kill(&held, slot);
    tree_remove(AT_FDCWD, held.directory, TREE_DEPTH);
    _exit(0);
}

/* ---- in the program ---- */

static struct supervisor *supervisor_fail(char **error, const char *what, int problem)
{
    size_t size = strlen(what) + 256;
    *error = xmalloc(size);
    snprintf(*error, size, "%s: %s", what, strerror(problem));
    return NULL;
}

/* One packet from the supervisor; false: it is gone. */
static bool answer_receive(const struct supervisor *supervisor, struct supervisor_answer *answer)
{
    ssize_t got;
    do
        got = recv(supervisor->socket, answer, sizeof *answer, 0);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *answer;
}

struct supervisor *supervisor_new(const char *prefix, char **error)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return supervisor_fail(error, "cannot create a socket pair for the sandbox", errno);
    /* Until the child has dropped the program's signal handlers, none may run in it. */
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0) {
        close(pair[0]);
        supervise(pair[1], prefix);
    }
    int problem = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(pair[1]);
    struct supervisor *supervisor = xcalloc(1, sizeof *supervisor); /* the child has no use for it */
    supervisor->socket = pair[0];
    supervisor->pid = pid;
    struct supervisor_answer answer = {.result = 0};
    if (pid > 0 && answer_receive(supervisor, &answer) && answer.result == 0) {
        memcpy(supervisor->directory, answer.directory, sizeof supervisor->directory);
        return supervisor;
    }
    if (pid > 0) {
        problem = answer.result < 0 ? -answer.result : EPIPE;
        reap(pid);
    }
    close(pair[0]);
    free(supervisor);
    return supervisor_fail(error, "cannot create a temporary directory for the sandbox; check TMPDIR",
                           problem);
}

const char *supervisor_directory(const struct supervisor *supervisor)
{
    return supervisor->directory;
}

pid_t supervisor_pid(const struct supervisor *supervisor)
{
    return supervisor->pid;
}

static int supervisor_ask(struct supervisor *supervisor, const struct question *question)
{
    ssize_t sent;
    do
        sent = send(supervisor->socket, question, sizeof *question, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    struct supervisor_answer answer;
    if (sent != (ssize_t)sizeof *question || !answer_receive(supervisor, &answer))
        return -EPIPE;
    return answer.result;
}

static bool question_add(struct question *question, const char *text)
{
    size_t length = strlen(text) + 1;
    if (length > sizeof question->text - question->length)
        return false;
    memcpy(question->text + question->length, text, length);
    question->length += length;
    return true;
}

pid_t supervisor_start(struct supervisor *supervisor, int slot, const char *log, char *const argv[])
{
    struct question question = {.order = ORDER_START, .slot = slot};
    bool fits = question_add(&question, log);
    for (size_t i = 0; fits && argv[i]; i++)
        fits = question_add(&question, argv[i]);
    return fits ? supervisor_ask(supervisor, &question) : -E2BIG;
}

int supervisor_signal(struct supervisor *supervisor, int slot, int signal)
{
    return supervisor_ask(supervisor,
                          &(struct question){.order = ORDER_SIGNAL, .slot = slot, .signal = signal});
}

int supervisor_kill(struct supervisor *supervisor, int slot)
{
    return supervisor_ask(supervisor, &(struct question){.order = ORDER_KILL, .slot = slot});
}

bool supervisor_running(struct supervisor *supervisor, int slot)
{
    return supervisor_ask(supervisor, &(struct question){.order = ORDER_RUNNING, .slot = slot}) == 1;
}

int supervisor_wipe(struct supervisor *supervisor, const char *relative)
{
    struct question question = {.order = ORDER_WIPE};
    if (relative[0] == '/' || strstr(relative, "..") || !question_add(&question, relative))
        return -EINVAL;
    return supervisor_ask(supervisor, &question);
}

void supervisor_end(struct supervisor *supervisor)
{
    if (!supervisor)
        return;
    shutdown(supervisor->socket, SHUT_WR);
    /* Its end closes when it is done. A process that even SIGKILL does not end must not hold us for ever. */
    struct pollfd end = {.fd = supervisor->socket, .events = POLLIN};
    int ready;
    do
        ready = poll(&end, 1, END_WAIT_MS);
    while (ready < 0 && errno == EINTR);
    if (ready > 0)
        reap(supervisor->pid);
    tree_remove(AT_FDCWD, supervisor->directory, TREE_DEPTH); /* only if the supervisor was killed */
    close(supervisor->socket);
    free(supervisor);
}
