#define _GNU_SOURCE /* ppoll: intervals below a millisecond */
#include "tests/bench/client/bare.h"
#include "tests/bench/gauge.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define CONNECT_WITHIN_US 10000000

static volatile sig_atomic_t ended;

int64_t now_us(void)
{
    return gauge_us();
}

void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static void on_end(int number)
{
    (void)number;
    ended = 1;
}

void bare_end_on_signals(void)
{
    struct sigaction action = {.sa_handler = on_end};
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
}

bool bare_ended(void)
{
    return ended != 0;
}

static void no_log(const char *message)
{
    (void)message;
}

static void on_session(zhandle_t *zh, int type, int state, const char *path, void *context)
{
    struct bare *bare = context;
    (void)zh;
    (void)path;
    if (type != ZOO_SESSION_EVENT)
        return;
    if (state == ZOO_CONNECTED_STATE) {
        bare->connected = true;
        bare->connected_us = now_us();
    } else if (bare->connected) {
        die("the connection was lost (state %d)", state);
    }
}

void bare_open(struct bare *bare, const char *hosts, int timeout_ms)
{
    memset(bare, 0, sizeof *bare);
    zoo_set_debug_level(0);
    bare->zh = zookeeper_init2(hosts, on_session, timeout_ms, NULL, bare, 0, no_log);
    if (bare->zh == NULL)
        die("zookeeper_init %s: %s", hosts, strerror(errno));
    zoo_set_servers_resolution_delay(bare->zh, -1);
}

void bare_connect(struct bare *all, size_t count)
{
    int64_t until_us = now_us() + CONNECT_WITHIN_US;
    for (size_t i = 0; i < count; i++) {
        while (!all[i].connected) {
            if (now_us() >= until_us)
                die("no connection within ten seconds");
            bare_turn(all, count, -1, until_us);
        }
    }
}

void bare_close(struct bare *bare)
{
    if (bare->zh != NULL)
        zookeeper_close(bare->zh);
    bare->zh = NULL;
}

/* Takes one frame a call until there is none; anything else has closed the descriptor already. */
static void drain(struct bare *bare, short got)
{
    int events =
        (got & POLLOUT ? ZOOKEEPER_WRITE : 0) | (got & (POLLIN | POLLHUP | POLLERR) ? ZOOKEEPER_READ : 0);
    for (int frames = 0; frames < 100000; frames++) {
        int rc = zookeeper_process(bare->zh, events);
        if (rc == ZNOTHING)
            return;
        if (rc != ZOK) {
            if (bare->connected)
                die("zookeeper_process: %s", zerror(rc));
            return;
        }
        events = ZOOKEEPER_READ;
    }
}

bool bare_turn(struct bare *all, size_t count, int extra_fd, int64_t until_us)
{
    struct pollfd fds[BARE_MOST + 1];
    int64_t wait_us = until_us - now_us();

    for (size_t i = 0; i < count; i++) {
        int fd = -1, interest = 0;
        struct timeval within = {0};
        int rc = zookeeper_interest(all[i].zh, &fd, &interest, &within);
        if (rc != ZOK && all[i].connected)
            die("zookeeper_interest: %s", zerror(rc));
        int64_t within_us = (int64_t)within.tv_sec * 1000000 + within.tv_usec;
        wait_us = within_us < wait_us ? within_us : wait_us;
        int events = (interest & ZOOKEEPER_READ ? POLLIN : 0) | (interest & ZOOKEEPER_WRITE ? POLLOUT : 0);
        fds[i] = (struct pollfd){.fd = rc == ZOK ? fd : -1, .events = (short)events};
    }
    fds[count] = (struct pollfd){.fd = extra_fd, .events = POLLIN};

    struct timespec wait = {0};
    if (wait_us > 0) {
        wait.tv_sec = wait_us / 1000000;
        wait.tv_nsec = (wait_us % 1000000) * 1000;
    }
    int ready = ppoll(fds, count + 1, &wait, NULL);
    if (ready < 0 && errno != EINTR)
        die("poll: %s", strerror(errno));
    if (ready <= 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (fds[i].revents)
            drain(&all[i], fds[i].revents);
    }
    return fds[count].revents != 0;
}

int32_t bare_sequence(const char *name)
{
    size_t length = strlen(name);
    int64_t number = 0;
    if (length < 10)
        die("%s does not end in ten digits", name);
    for (const char *digit = name + length - 10; *digit; digit++) {
        if (*digit < '0' || *digit > '9')
            die("%s does not end in ten digits", name);
        number = number * 10 + (*digit - '0');
    }
    if (number > INT32_MAX)
        die("%s does not end in a sequence number", name);
    return (int32_t)number;
}
