/* Proves that a log line is always one line, safe to show, cut at its bound,
   and that no log costs nothing. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/log.h"

static char file[] = "/tmp/electop-log-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    int descriptor = mkstemp(file);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_file(void **state)
{
    (void)state;
    log_close();
    return unlink(file);
}

static char *read_back(char *buffer, size_t size)
{
    FILE *stream = fopen(file, "r");
    assert_non_null(stream);
    size_t length = fread(buffer, 1, size - 1, stream);
    buffer[length] = '\0';
    fclose(stream);
    return buffer;
}

/* Strangers' bytes cannot begin a new line or reach a terminal as an escape sequence. */
static void lines_are_safe(void **state)
{
    (void)state;
    char *error = NULL, content[20000];
    log_line(LOG_LEVEL_ERROR, "nobody listens");
    assert_true(log_open(file, &error));
    log_line(LOG_LEVEL_WARNING, "a\nb\x1b[31m\xff\xc3\xa4%s", "!");
    read_back(content, sizeof content);
    assert_non_null(strstr(content, "Z warning a\\x0ab\\x1b[31m\\xff\xc3\xa4!\n"));
    log_line(LOG_LEVEL_WARNING, "a\u202eb\u200bc\u2066d\U000e0041e\ufeff%s", "!");
    read_back(content, sizeof content);
    assert_non_null(strstr(content, "Z warning a\\xe2\\x80\\xaeb\\xe2\\x80\\x8bc\\xe2\\x81\\xa6d"
                                    "\\xf3\\xa0\\x81\\x81e\\xef\\xbb\\xbf!\n"));
    assert_int_equal(strlen("2026-11-20T14:03:22.104Z"), (size_t)(strchr(content, ' ') - content));
    assert_ptr_equal(strchr(strchr(content, '\n') + 1, '\n'), content + strlen(content) - 1);
}

/* A long message is cut and says so, even when every byte of it needs escaping. */
static void lines_are_bounded(void **state)
{
    (void)state;
    char *error = NULL, content[20000], longest[2 * LOG_LINE_MAX];
    assert_int_equal(truncate(file, 0), 0);
    assert_true(log_open(file, &error));
    memset(longest, 1, sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    log_line(LOG_LEVEL_DEBUG, "%s", longest);
    read_back(content, sizeof content);
    size_t length = strlen(content);
    assert_true(length > 4 * LOG_LINE_MAX && length < 4 * LOG_LINE_MAX + 64);
    assert_string_equal(content + length - 4, "...\n");
}

static void bad_files_are_refused(void **state)
{
    (void)state;
    char *error = NULL;
    assert_false(log_open("/nonexistent-directory/log", &error));
    assert_string_equal(
        error, "the log \"/nonexistent-directory/log\" cannot be written (No such file or directory); "
               "name another file with --log");
    free(error);
}

/* What is missing in a log is counted, and why. */
static void missing_lines_are_counted(void **state)
{
    (void)state;
    char *error = NULL;
    assert_true(log_open("/dev/full", &error));
    assert_null(log_take_problem());
    log_line(LOG_LEVEL_INFO, "one");
    log_line(LOG_LEVEL_INFO, "two");
    char *problem = log_take_problem();
    assert_string_equal(problem,
                        "the log \"/dev/full\" lacks 2 lines (No space left on device); make room, or "
                        "name another file with --log");
    free(problem);
    assert_null(log_take_problem());
    log_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_safe),
        cmocka_unit_test(lines_are_bounded),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(missing_lines_are_counted),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
