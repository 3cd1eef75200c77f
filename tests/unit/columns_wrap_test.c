/* Text in lines: whole words, nothing lost, and a number with its unit. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/drawn.h"
#include "tests/support/test.h"
#include "tui/screen/columns.h"

static char *wrapped(const char *text, int width)
{
    struct cells *cells = cells_new(width, 8);
    char *drawn;

    columns_wrap_put(cells, 0, 0, width, 8, ROLE_TEXT, text);
    drawn = drawn_text(cells);
    cells_free(cells);
    return drawn;
}

static void expect_first_line(const char *text, int width, const char *line)
{
    char *drawn = wrapped(text, width);

    assert_memory_equal(drawn, line, strlen(line));
    assert_true(drawn[strlen(line)] == '\n');
    free(drawn);
}

/* A word that does not fit begins the next line; one that is longer than a line is cut where it must. */
TEST(words_stay_whole)
{
    expect_first_line("one two three", 9, "one two");
    expect_first_line("abcdefghij", 4, "abcd");
}

/* "12.0" at the end of a line and "s" at the beginning of the next would be read as a number of something
   else. Words that only begin like a unit, and a unit behind no number, may go apart. */
TEST(a_number_keeps_its_unit)
{
    expect_first_line("looks over 12.0 s; then", 17, "looks over");
    expect_first_line("looks over 12.0 s; then", 18, "looks over 12.0 s;");
    expect_first_line("within 250 ms", 11, "within");
    expect_first_line("looks over 3 sessions", 13, "looks over 3");
    expect_first_line("it is its s", 9, "it is its");
}

/* What follows a text begins behind its last line. */
TEST(the_last_line_has_an_end)
{
    struct cells *cells = cells_new(20, 2);

    assert_int_equal(columns_wrap_end(cells, 20, "one two: "), 9);
    assert_int_equal(columns_wrap_end(cells, 9, "one two three"), 5);
    assert_int_equal(columns_wrap_end(cells, 9, ""), 0);
    cells_free(cells);
}
