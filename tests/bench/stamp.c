/*
 * stamp - runs a command and writes each line of its output to a file, with the time it was read.
 *
 *     stamp FILE COMMAND [ARG ...]
 *
 *     pid 4711 started 81234567        the command's process, and when it was begun
 *     81240012 {"event":"leader-lost"  one line of output; microseconds of CLOCK_MONOTONIC
 *     exit 0 81250000                  its exit status (128 + n for signal n), and when it had ended
 *
 * A file and not a pipe, so that whoever evaluates it is not woken, and costs nothing, while it is measured.
 */
#define _GNU_SOURCE /* pipe2: the command must not inherit the reading end */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/gauge.h"

static int fail(const char *what)
{
    fprintf(stderr, "stamp: %s: %s\n", what, strerror(errno));
    return 1;
}

static void run(char *const *command, const int ends[2])
{
    /* A command must not go on when the benchmark is interrupted. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (dup2(ends[1], STDOUT_FILENO) >= 0)
        execvp(command[0], command);
    _exit(fail(command[0]));
}

/* Copies what was read line by line; *at_start: the next byte begins a line. */
static void write_lines(FILE *out, const char *text, size_t length, int64_t at_us, bool *at_start)
{
    while (length > 0) {
        const char *end = memchr(text, '\n', length);
        size_t piece = end != NULL ? (size_t)(end - text) + 1 : length;
        if (*at_start)
            fprintf(out, "%lld ", (long long)at_us);
        fwrite(text, 1, piece, out);
        *at_start = end != NULL;
        text += piece;
        length -= piece;
    }
}

int main(int argc, char **argv)
{
    static char buffer[1 << 16];
    int ends[2], status = 0;

    if (argc < 3) {
        fputs("usage: stamp FILE COMMAND [ARG ...]\n", stderr);
        return 2;
    }
    FILE *out = fopen(argv[1], "we");
    if (out == NULL)
        return fail(argv[1]);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail("pipe");
    int64_t started_us = gauge_us();
    pid_t child = fork();
    if (child < 0)
        return fail("fork");
    if (child == 0)
        run(argv + 2, ends);
    close(ends[1]);
    fprintf(out, "pid %ld started %lld\n", (long)child, (long long)started_us);
    fflush(out);

    bool at_start = true;
    for (;;) {
        ssize_t got = read(ends[0], buffer, sizeof buffer);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        write_lines(out, buffer, (size_t)got, gauge_us(), &at_start);
        fflush(out);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    fprintf(out, "%sexit %d %lld\n", at_start ? "" : "\n", code, (long long)gauge_us());
    return fclose(out) == 0 ? 0 : fail(argv[1]);
}
