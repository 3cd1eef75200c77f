/* Proves that a log line is always one line, safe to show, cut at its bound,
   and that no log costs nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "probe/log.h"
#include "tests/support/test.h"

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
TEST(lines_are_safe)
{
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
TEST(lines_are_bounded)
{
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

TEST(bad_files_are_refused)
{
    char *error = NULL;
    assert_false(log_open("/nonexistent-directory/log", &error));
    assert_string_equal(
        error, "the log \"/nonexistent-directory/log\" cannot be written (No such file or directory); "
               "name another file with --log");
    free(error);
    char link[256];
    snprintf(link, sizeof link, "%s.link", file);
    assert_int_equal(symlink(file, link), 0);
    assert_false(log_open(link, &error)); /* as for a recording */
    assert_non_null(strstr(error, "it is a symbolic link"));
    free(error);
    unlink(link);
    snprintf(link, sizeof link, "/tmp/electop-log-test.%d", (int)getpid()); /* where anybody may make links */
    assert_int_equal(symlink(file, link), 0);
    assert_false(log_open(link, &error));
    free(error);
    unlink(link);
    assert_true(log_open("/dev/stderr", &error)); /* the system's own */
    log_close();
}

/* What is missing in a log is counted, and why. */
TEST(missing_lines_are_counted)
{
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

/* One datagram an entry, with its priority and fields; a value cannot begin another field. */
TEST(the_journal_gets_fields)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char *error = NULL, name[sizeof address.sun_path + 16], got[20000];
    snprintf(address.sun_path, sizeof address.sun_path, "%s.socket", file);
    snprintf(name, sizeof name, "journal:%s", address.sun_path);
    assert_false(log_open(name, &error)); /* nobody listens there yet */
    assert_non_null(strstr(error, "cannot be written"));
    free(error);
    int journal = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert_int_equal(bind(journal, (const struct sockaddr *)&address, sizeof address), 0);
    assert_true(log_open(name, &error));
    const char *const fields[] = {"ELECTOP_CODE",  "no-leader", "ELECTOP_NOTHING", NULL, "ELECTOP_EVIDENCE",
                                  "a\nPRIORITY=0", NULL};
    log_fields(LOG_LEVEL_ERROR, fields, "one\n%s", "two");
    ssize_t length = recv(journal, got, sizeof got - 1, 0);
    assert_true(length > 0);
    got[length] = '\0';
    assert_string_equal(got,
                        "PRIORITY=3\nSYSLOG_IDENTIFIER=electop\nMESSAGE=one\\x0atwo\nELECTOP_CODE=no-leader\n"
                        "ELECTOP_EVIDENCE=a\\x0aPRIORITY=0\n");
    log_line(LOG_LEVEL_DEBUG, "more");
    length = recv(journal, got, sizeof got - 1, 0);
    got[length > 0 ? length : 0] = '\0';
    assert_string_equal(got, "PRIORITY=7\nSYSLOG_IDENTIFIER=electop\nMESSAGE=more\n");
    close(journal);
    log_line(LOG_LEVEL_INFO, "lost");
    char *problem = log_take_problem();
    assert_non_null(strstr(problem, "lacks 1 line"));
    free(problem);
    unlink(address.sun_path);
    char longest[300];
    memset(longest, 'x', sizeof longest);
    memcpy(longest, "journal:", 8);
    longest[sizeof longest - 1] = '\0';
    assert_false(log_open(longest, &error));
    free(error);
}

ALL_BETWEEN(make_file, remove_file)
