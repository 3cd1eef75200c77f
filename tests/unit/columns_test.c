

#include "tests/support/test.h"
#include "tui/screen/columns.h"

enum { NAME, STATE, EXTRA, NOTE, COUNT };

static const struct column table[COUNT] = {
    [NAME] = {.heading = "NAME", .least = 8, .most = 30, .importance = 100},
    [STATE] = {.heading = "STATE", .least = 6, .most = 10, .importance = 90},
    [EXTRA] = {.heading = "EXTRA", .least = 5, .most = 5, .importance = 10},
    [NOTE] = {.heading = "NOTE", .least = 10, .most = 40, .importance = 5, .optional = true},
};

static void lay(struct column *columns, int width, int want)
{
    for (int i = 0; i < COUNT; i++)
        columns[i] = table[i];
    columns[NAME].want = want;
    columns_lay(columns, COUNT, 4, width, 2);
}

/* At every width the columns stand side by side inside it, none narrower than its least. */
TEST(columns_never_overlap_nor_leave)
{
    struct column columns[COUNT];

    for (int width = 0; width < 120; width++)
        for (int want = 0; want < 40; want += 13) {
            int x = 4;

            lay(columns, width, want);
            for (int i = 0; i < COUNT; i++) {
                if (columns[i].width == 0)
                    continue;
                assert_true(columns[i].x >= x);
                assert_in_range(columns[i].width, columns[i].least, columns[i].most);
                x = columns[i].x + columns[i].width;
                assert_true(x <= 4 + width);
            }
        }
}

/* The least important goes first; the most important stays as long as there is room for it at all. */
TEST(the_least_important_gives_way)
{
    struct column columns[COUNT];

    lay(columns, 23, 0);
    assert_true(columns[NAME].width > 0 && columns[STATE].width > 0 && columns[EXTRA].width > 0);
    lay(columns, 22, 0);
    assert_int_equal(columns[EXTRA].width, 0);
    assert_true(columns[STATE].width > 0);
    lay(columns, 15, 0);
    assert_int_equal(columns[STATE].width, 0);
    assert_true(columns[NAME].width >= 8);
}

/* An optional column comes only once the others have what they want. */
TEST(optional_columns_wait)
{
    struct column columns[COUNT];

    lay(columns, 30 + 10 + 5 + 4, 30);
    assert_int_equal(columns[NAME].width, 30);
    assert_int_equal(columns[NOTE].width, 0);
    lay(columns, 30 + 10 + 5 + 4 + 12, 30);
    assert_int_equal(columns[NOTE].width, 10);
    lay(columns, 30 + 10 + 5 + 4, 8);
    assert_int_equal(columns[NAME].width, 8);
    assert_true(columns[NOTE].width >= 10);
}

/* One long text leaves the other columns the room for theirs. */
TEST(a_long_text_comes_last)
{
    struct column columns[2] = {{.heading = "A", .least = 8, .most = 90, .importance = 100, .want = 82},
                                {.heading = "B", .least = 8, .most = 60, .importance = 90, .want = 40}};

    columns_lay(columns, 2, 0, 100, 2);
    assert_int_equal(columns[0].width, 58);
    assert_int_equal(columns[1].width, 40);
}

/* Numbers end where their heading ends, and nothing is written of a column that has gone. */
TEST(text_stands_as_the_column_says)
{
    struct cells *cells = cells_new(20, 1);
    struct column number = {.heading = "N", .x = 2, .width = 5, .right = true}, gone = {.heading = "G"};

    columns_put(cells, &number, 0, ROLE_TEXT, "42");
    assert_string_equal(cells->at[5].text, "4");
    assert_string_equal(cells->at[6].text, "2");
    assert_int_equal(columns_put(cells, &gone, 0, ROLE_TEXT, "text"), 0);
    assert_string_equal(cells->at[0].text, " ");
    cells_free(cells);
}
