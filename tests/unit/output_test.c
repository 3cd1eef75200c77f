/* Output to a reader that is slow, that goes, that never was: the loop goes on, no line is cut, and what was
   dropped is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "tui/output/output.h"

struct seen {
    uint64_t dropped;
};

static void on_dropped(void *context, struct buffer *line, uint64_t count)
{
    struct seen *seen = context;
    seen->dropped += count;
    buffer_printf(line, "dropped %llu\n", (unsigned long long)count);
}

static void close_all(struct output *output, uv_loop_t *loop)
{
    output_close(output);
    uv_run(loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(loop), 0);
}

/* Writes far more than the reader's pipe and our own room hold, then reads all: whole lines in order, and
   those that are missing are told where they are missing. */
static void keep_and_count(int reader, int writer)
{
    enum { LINES = OUTPUT_ROOM / 17 };
    uv_loop_t loop;
    uv_loop_init(&loop);
    struct seen seen = {0};
    int flags = fcntl(writer, F_GETFL);
    struct output *output = output_open(&loop, writer, on_dropped, &seen);
    assert_non_null(output);
    char line[64];
    for (int i = 0; i < LINES; i++) {
        int length = snprintf(line, sizeof line, "%08d %.*s\n", i, i % 50,
                              "..................................................");
        output_line(output, line, (size_t)length);
    }
    assert_int_equal(fcntl(writer, F_GETFL), flags);
    assert_int_equal(fcntl(reader, F_SETFL, O_NONBLOCK), 0);
    struct buffer got = {0};
    static char piece[65536];
    for (int idle = 0; idle < 50;) {
        ssize_t size = read(reader, piece, sizeof piece);
        if (size > 0)
            buffer_put(&got, piece, (size_t)size);
        idle = size > 0 ? 0 : idle + 1;
        if (size < 0)
            uv_sleep(5);
        uv_run(&loop, UV_RUN_NOWAIT);
    }
    buffer_put_char(&got, '\0');
    int next = 0;
    for (char *at = got.bytes, *end; *at; at = end + 1) {
        /* A strict sanitizer measures a text to its end at each call: one line of it, not all that follow. */
        end = memchr(at, '\n', (size_t)(got.bytes + got.length - at));
        assert_non_null(end);
        *end = '\0';
        if (strncmp(at, "dropped ", 8) == 0) {
            next += atoi(at + 8);
            continue;
        }
        assert_int_equal(atoi(at), next);
        assert_int_equal(end - at, 9 + next % 50);
        next++;
    }
    assert_int_equal(next, LINES);
    assert_true(seen.dropped > 0);
    assert_int_equal(output_error(output), 0);
    buffer_free(&got);
    close_all(output, &loop);
    close(reader);
    close(writer);
}

static void slow_pipe(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    keep_and_count(ends[0], ends[1]);
}

/* All members of an election of 10,000 leave in one turn of the loop: no reader can be quick enough. */
static void keeps_what_one_turn_writes(void **state)
{
    (void)state;
    static const char line[] =
        "{\"schema\":1,\"time\":\"2026-11-27T09:36:54.060Z\",\"cluster\":\"prod\",\"election\":"
        "\"/services/orders/latch\",\"event\":\"candidate-left\",\"candidate\":\"_c_ea871dcc-"
        "7c92-40d0-b01e-a084122dd95d-latch-0000009999\",\"identity\":\"orders-9999.example:8080\","
        "\"position\":10000}\n";
    enum { MEMBERS = 10000 };
    uv_loop_t loop;
    uv_loop_init(&loop);
    struct seen seen = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct output *output = output_open(&loop, ends[1], on_dropped, &seen);
    for (int i = 0; i < MEMBERS; i++)
        output_line(output, line, sizeof line - 1);
    size_t got = 0;
    static char piece[65536];
    for (ssize_t size;
         got < MEMBERS * (sizeof line - 1) && (size = read(ends[0], piece, sizeof piece)) > 0;) {
        got += (size_t)size;
        uv_run(&loop, UV_RUN_NOWAIT);
        if (seen.dropped > 0)
            break;
    }
    assert_int_equal(seen.dropped, 0);
    assert_int_equal(got, MEMBERS * (sizeof line - 1));
    close_all(output, &loop);
    close(ends[0]);
    close(ends[1]);
}

/* A reader that goes is noticed though nothing is written. */
static void noticed_without_writing(void **state)
{
    (void)state;
    uv_loop_t loop;
    uv_loop_init(&loop);
    struct seen seen = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct output *output = output_open(&loop, ends[1], on_dropped, &seen);
    uv_run(&loop, UV_RUN_NOWAIT);
    assert_int_equal(output_error(output), 0);
    close(ends[0]);
    for (int i = 0; i < 200 && !output_error(output); i++) {
        uv_run(&loop, UV_RUN_NOWAIT);
        uv_sleep(5);
    }
    assert_true(output_is_gone(output_error(output)));
    output_line(output, "x\n", 2);
    assert_true(output_is_gone(output_error(output)));
    close_all(output, &loop);
    close(ends[1]);
}

/* The same over a socket, which cannot be opened a second time. */
static void noticed_on_a_socket(void **state)
{
    (void)state;
    uv_loop_t loop;
    uv_loop_init(&loop);
    struct seen seen = {0};
    int ends[2];
    char back[8];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    struct output *output = output_open(&loop, ends[1], on_dropped, &seen);
    output_line(output, "hello\n", 6);
    assert_int_equal(read(ends[0], back, sizeof back), 6);
    close(ends[0]);
    for (int i = 0; i < 400 && !output_error(output); i++) {
        uv_run(&loop, UV_RUN_NOWAIT);
        uv_sleep(5);
    }
    assert_true(output_is_gone(output_error(output)));
    close_all(output, &loop);
    close(ends[1]);
}

/* A descriptor that was closed from the beginning ends at once, and is no error. */
static void closed_from_the_beginning(void **state)
{
    (void)state;
    uv_loop_t loop;
    uv_loop_init(&loop);
    struct seen seen = {0};
    int fd = open("/dev/null", O_WRONLY);
    close(fd);
    struct output *output = output_open(&loop, fd, on_dropped, &seen);
    assert_true(output_is_gone(output_error(output)));
    assert_true(output_is_gone(output_write(fd, "x", 1)));
    close_all(output, &loop);
}

/* Files and /dev/null take everything; a full disk is an error and not a reader that went. */
static void files(void **state)
{
    static const char *const paths[] = {"/dev/null", NULL, "/dev/full"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char name[] = "/tmp/output_test.XXXXXX";
        int fd = paths[i] ? open(paths[i], O_WRONLY) : mkstemp(name);
        assert_true(fd >= 0);
        uv_loop_t loop;
        uv_loop_init(&loop);
        struct seen seen = {0};
        struct output *output = output_open(&loop, fd, on_dropped, &seen);
        for (int j = 0; j < 1000; j++)
            output_line(output, "a line\n", 7);
        output_flush(output, 100);
        assert_int_equal(seen.dropped, 0);
        if (i == 2) {
            assert_int_equal(output_error(output), ENOSPC);
            assert_false(output_is_gone(output_error(output)));
            assert_int_equal(output_write(fd, "x", 1), ENOSPC);
        } else {
            assert_int_equal(output_error(output), 0);
        }
        if (!paths[i]) {
            assert_int_equal(lseek(fd, 0, SEEK_END), 7000);
            unlink(name);
        }
        close_all(output, &loop);
        close(fd);
    }
}

static void on_alarm(int number)
{
    (void)number;
}

/* A result may wait for its reader; once a signal that is caught has come, for no more than a second. */
static void a_signal_ends_the_wait(void **state)
{
    (void)state;
    int ends[2];
    char bytes[1 << 17] = "";
    assert_int_equal(pipe(ends), 0);
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART}, before;
    sigaction(SIGALRM, &action, &before);
    alarm(1);
    uint64_t begun = uv_hrtime();
    assert_int_equal(output_write(ends[1], bytes, sizeof bytes), ECANCELED);
    assert_int_equal(output_write(ends[1], bytes, sizeof bytes), ECANCELED);
    assert_in_range((uv_hrtime() - begun) / 1000000, 1500, 4000);
    sigaction(SIGALRM, &before, NULL);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_pipe),
        cmocka_unit_test(keeps_what_one_turn_writes),
        cmocka_unit_test(noticed_without_writing),
        cmocka_unit_test(noticed_on_a_socket),
        cmocka_unit_test(closed_from_the_beginning),
        cmocka_unit_test(files),
        cmocka_unit_test(a_signal_ends_the_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
