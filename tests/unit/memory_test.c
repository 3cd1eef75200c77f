/* memory: what is given holds what is asked for; without memory one line is printed after the terminal's
 * restoration. */

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/memory.h"
#include "tests/support/test.h"

/* The sanitizer's malloc() gives NULL as the C library's does, in place of its own report. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

#define LINE "electop: out of memory; ask for less, or raise the limit (ulimit -v)\n"

static void restore(void)
{
    assert_int_equal(write(STDERR_FILENO, "restored\n", 9), 9);
}

/* What a process prints on standard error while it exhausts the memory; it must end by SIGABRT. */
static void printed(void (*exhaust)(void), char *out, size_t size)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        signal(SIGABRT, SIG_DFL); /* cmocka's own would go on with the next test */
        memory_on_exhausted(restore);
        exhaust();
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got; (got = read(ends[0], out + length, size - 1 - length)) > 0;)
        length += (size_t)got;
    out[length] = '\0';
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

/* Not told to the compiler, which would refuse it. */
static volatile size_t huge = SIZE_MAX / 4;

static void exhaust_malloc(void)
{
    free(xmalloc(huge));
}

static void exhaust_calloc(void)
{
    free(xcalloc(huge, 16));
}

static void exhaust_realloc(void)
{
    free(xreallocarray(NULL, huge, 16));
}

static void exhaust_list(void)
{
    char *bytes = NULL;
    size_t room = SIZE_MAX / 2 + 1;
    room_for_one(&bytes, room, &room, 1);
}

static void *exhaust_in_thread(void *unused)
{
    (void)unused;
    exhaust_realloc();
    return NULL;
}

static void exhaust_threads(void)
{
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, exhaust_in_thread, NULL);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
}

/* Only where malloc() itself is asked may a sanitizer print its own warning first. */
TEST(without_memory_it_says_so_and_aborts)
{
    void (*const asked[])(void) = {exhaust_malloc, exhaust_calloc};
    void (*const cannot_be[])(void) = {exhaust_realloc, exhaust_list, exhaust_threads};
    char out[16384];
    for (size_t i = 0; i < 2; i++) {
        printed(asked[i], out, sizeof out);
        assert_non_null(strstr(out, "restored\n" LINE));
    }
    for (size_t i = 0; i < 3; i++) {
        printed(cannot_be[i], out, sizeof out);
        assert_string_equal(out, "restored\n" LINE);
    }
}

/* Nothing is a size, too. */
TEST(gives_what_was_asked)
{
    char *none = xmalloc(0), *zero = xcalloc(0, 8), *shrunk = xreallocarray(xmalloc(9), 0, 8);
    assert_true(none && zero && shrunk);
    int *numbers = xcalloc(3, sizeof *numbers);
    assert_true(numbers[0] == 0 && numbers[2] == 0);
    numbers[2] = 7;
    numbers = xreallocarray(numbers, 300, sizeof *numbers);
    assert_int_equal(numbers[2], 7);
    const char open[3] = {'a', 'b', 'c'}; /* not terminated */
    char *whole = xstrdup("leader"), *part = xstrndup("leader", 4), *all = xstrndup("leader", 40),
         *copy = xstrndup(open, sizeof open), *bytes = xmemdup(open, sizeof open);
    assert_string_equal(whole, "leader");
    assert_string_equal(part, "lead");
    assert_string_equal(all, "leader");
    assert_string_equal(copy, "abc");
    assert_memory_equal(bytes, open, sizeof open);
    void *mine[] = {none, zero, shrunk, numbers, whole, part, all, copy, bytes};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        free(mine[i]);
}

/* Every element is where it was put, and the array does not grow for each of them. */
TEST(a_list_grows_and_keeps)
{
    int64_t *numbers = NULL;
    size_t count = 0, room = 0, grown = 0;
    for (int64_t i = 0; i < 10000; i++) {
        size_t before = room;
        room_for_one(&numbers, count, &room, sizeof *numbers);
        assert_true(room > count);
        grown += room != before;
        numbers[count++] = i * i;
    }
    for (int64_t i = 0; i < 10000; i++)
        assert_int_equal(numbers[i], i * i);
    assert_in_range(grown, 1, 20);
    free(numbers);
}
