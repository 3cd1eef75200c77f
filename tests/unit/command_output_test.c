/* What a command says arrives, or is complained of; a reader that has gone is no error. */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/folder.h"
#include "tests/support/test.h"
#include "tui/commands/command_output.h"

static int standard_error; /* the real one, while another listens */

/* What was complained of since the last time. */
static const char *complaints(void)
{
    static char said[4096];
    fflush(stderr);
    off_t end = lseek(STDERR_FILENO, 0, SEEK_CUR);
    assert_in_range(end, 0, sizeof said - 1);
    assert_int_equal(pread(STDERR_FILENO, said, (size_t)end, 0), end);
    said[end] = '\0';
    assert_int_equal(ftruncate(STDERR_FILENO, 0), 0);
    assert_int_equal(lseek(STDERR_FILENO, 0, SEEK_SET), 0);
    return said;
}

static int listen_in(void **state)
{
    (void)state;
    FILE *errors = tmpfile(); /* it goes with the program */
    standard_error = dup(STDERR_FILENO);
    return errors && standard_error >= 0 && dup2(fileno(errors), STDERR_FILENO) >= 0 ? 0 : -1;
}

/* What nobody expected is shown after all: why a test failed stands in it. */
static int listen_no_more(void **state)
{
    (void)state;
    const char *rest = complaints();
    dup2(standard_error, STDERR_FILENO);
    close(standard_error);
    fputs(rest, stderr);
    return 0;
}

/* Written: the status that was given. Gone: 0, quietly. A full disk: 2, and why. */
TEST_BETWEEN(reports_a_reader_that_went_from_an_error, listen_in, listen_no_more)
{
    assert_int_equal(command_output_ended(0, EXIT_FOUND), EXIT_FOUND);
    assert_int_equal(command_output_ended(EPIPE, EXIT_FOUND), EXIT_DONE);
    assert_string_equal(complaints(), "");
    assert_int_equal(command_output_ended(ENOSPC, EXIT_DONE), EXIT_USAGE);
    assert_non_null(strstr(complaints(), "electop: cannot write to standard output: No space left"));
}

/* A page is in its file as a whole, and where it cannot be written it says why. */
TEST_BETWEEN(writes_a_whole_page, listen_in, listen_no_more)
{
    char folder[] = "/tmp/electop-say-XXXXXX", file[64], read_back[16] = "";
    folder_make(folder);
    snprintf(file, sizeof file, "%s/page.html", folder);
    struct buffer page = {0};
    buffer_put_text(&page, "whole");
    assert_int_equal(command_output_page(&page, file), EXIT_DONE);
    assert_null(page.bytes);
    FILE *back = fopen(file, "r");
    assert_non_null(back);
    assert_non_null(fgets(read_back, sizeof read_back, back));
    fclose(back);
    assert_string_equal(read_back, "whole");
    buffer_put_text(&page, "nowhere");
    assert_int_equal(command_output_page(&page, "/nonexistent/page.html"), EXIT_USAGE);
    assert_non_null(strstr(complaints(), "/nonexistent/page.html: cannot be written: No such file"));
}

/* All errors of a configuration come as one text: each is a line, and no byte of it reaches the terminal raw.
 */
TEST_BETWEEN(complains_line_by_line, listen_in, listen_no_more)
{
    complain("%s", "one\ntwo \033[31mred");
    assert_string_equal(complaints(), "electop: one\nelectop: two \\x1b[31mred\n");
}

/* While a loop runs, messages wait for nobody: those that no memory is for are counted, and the count is told. */
TEST(a_message_never_waits)
{
    enum { MESSAGES = 3000, LONG = 2000 };
    int ends[2], before = dup(STDERR_FILENO);
    uv_loop_t loop;
    char part[65536] = "", filler[LONG + 1];
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    uv_loop_init(&loop);
    memset(filler, 'x', LONG);
    filler[LONG] = '\0';
    alarm(20);
    command_output_begin(&loop);
    for (int i = 0; i < MESSAGES; i++)
        complain("%s", filler);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    bool told = false;
    ssize_t got;
    for (int turn = 0; turn < 10000 && !told; turn++) {
        uv_run(&loop, UV_RUN_NOWAIT);
        while ((got = read(ends[0], part, sizeof part - 1)) > 0) {
            part[got] = '\0';
            told |= strstr(part, "messages were lost: nobody read them\n") != NULL;
        }
    }
    command_output_end();
    alarm(0);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    dup2(before, STDERR_FILENO);
    close(before);
    close(ends[0]);
    assert_true(told);
}
