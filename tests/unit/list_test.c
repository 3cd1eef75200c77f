#include <stdlib.h>
#include <string.h>

#include "tests/support/drawn.h"
#include "tests/support/test.h"
#include "tui/views/list.h"

/* However one moves, the selected line is on the screen and inside the list. */
TEST(selection_stays_on_screen)
{
    static const enum action moves[] = {ACTION_DOWN,   ACTION_PAGE_DOWN, ACTION_LAST,      ACTION_DOWN,
                                        ACTION_UP,     ACTION_PAGE_UP,   ACTION_PAGE_UP,   ACTION_FIRST,
                                        ACTION_UP,     ACTION_PAGE_DOWN, ACTION_HALF_DOWN, ACTION_HALF_DOWN,
                                        ACTION_HALF_UP};
    struct list list = {0};

    for (size_t count = 0; count < 30; count++)
        for (size_t rows = 0; rows < 12; rows++) {
            list_begin(&list, count, rows);
            list_show(&list);
            for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
                assert_true(list_move(&list, moves[i]));
                assert_true(count == 0 ? list.at == 0 : list.at < count);
                assert_true(list.top <= list.at);
                assert_true(rows == 0 || list.at - list.top < rows);
                assert_true(list.top == 0 || rows == 0 || list.top + rows <= count);
            }
        }
    list_release(&list);
}

/* Half a page is half of what is on the screen, as in a pager, and never nothing. */
TEST(moves_by_half_a_page)
{
    struct list list = {0};

    list_begin(&list, 100, 20);
    assert_true(list_move(&list, ACTION_HALF_DOWN));
    assert_int_equal(list.at, 10);
    assert_true(list_move(&list, ACTION_HALF_UP));
    assert_int_equal(list.at, 0);
    list_begin(&list, 100, 1);
    assert_true(list_move(&list, ACTION_HALF_DOWN));
    assert_int_equal(list.at, 1);
    list_release(&list);
}

/* What is no move leaves the list as it is. */
TEST(other_actions_do_not_move)
{
    struct list list = {0};

    list_begin(&list, 10, 5);
    assert_true(list_move(&list, ACTION_LAST));
    assert_false(list_move(&list, ACTION_OPEN));
    assert_false(list_move(&list, ACTION_LEFT));
    assert_int_equal(list.at, 9);
    list_release(&list);
}

/* The selection follows its thing to another line. */
TEST(selection_follows_its_thing)
{
    struct list list = {0};

    list_begin(&list, 100, 10);
    list.at = 3;
    list_select(&list, "three");
    list_found(&list, 70);
    assert_int_equal(list.at, 70);
    assert_true(list.top <= 70 && 70 < list.top + 10);
    assert_string_equal(list.key, "three");
    list_release(&list);
}

/* Of what left, the name is told until the next move, and the place is kept. */
TEST(what_left_is_reported_and_its_place_kept)
{
    struct list list = {0};

    list_begin(&list, 10, 10);
    list.at = 4;
    list_select(&list, "four");
    list_begin(&list, 9, 10);
    list_lost(&list);
    assert_string_equal(list.gone, "four");
    assert_null(list.key);
    assert_int_equal(list.at, 4);
    list_select(&list, "five");
    assert_string_equal(list.gone, "four");
    assert_true(list_move(&list, ACTION_DOWN));
    assert_null(list.gone);
    list_release(&list);
}

/* From match to match one comes round to the first again, and backwards to the last. */
TEST(walking_goes_round)
{
    struct list list = {0};

    list_begin(&list, 3, 2);
    list_walk(&list, false);
    assert_int_equal(list.at, 2);
    list_walk(&list, true);
    assert_int_equal(list.at, 0);
    list_walk(&list, true);
    assert_int_equal(list.at, 1);
    list_begin(&list, 0, 2);
    list_walk(&list, true);
    assert_int_equal(list.at, 0);
    list_release(&list);
}

/* What is cut says how much: a list that ends at the screen's edge looks complete. */
TEST(what_is_cut_is_counted)
{
    static const struct {
        size_t count, rows, at;
        const char *said;
    } cases[] = {{15, 12, 0, "3 more below"},
                 {15, 12, 14, "3 more above"},
                 {15, 5, 7, "3 more above, 7 below"},
                 {12, 12, 3, ""}};
    struct cells *cells = cells_new(40, 2);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct list list = {0};
        char *text;

        cells_clear(cells);
        list_begin(&list, cases[i].count, cases[i].rows);
        list.at = cases[i].at;
        list_show(&list);
        list_put_more(&list, cells, 0);
        text = drawn_text(cells);
        if (cases[i].said[0] != '\0' ? strstr(text, cases[i].said) == NULL : strstr(text, "more") != NULL)
            fail_msg("%zu of %zu from %zu: %s", cases[i].rows, cases[i].count, cases[i].at, text);
        free(text);
        list_release(&list);
    }
    cells_free(cells);
}

/* A row of the screen is the line that stands there: none above the list, below it, or where it has ended. */
TEST(a_row_is_its_line)
{
    struct list list = {0};

    list_begin(&list, 15, 12);
    list.at = 14;
    list_show(&list);
    assert_int_equal(list_line_at(&list, 5, 5), 3);
    assert_int_equal(list_line_at(&list, 5, 16), 14);
    assert_true(list_line_at(&list, 5, 4) == SIZE_MAX);
    assert_true(list_line_at(&list, 5, 17) == SIZE_MAX);
    list_begin(&list, 2, 12);
    list_show(&list);
    assert_int_equal(list_line_at(&list, 5, 6), 1);
    assert_true(list_line_at(&list, 5, 7) == SIZE_MAX);
    list_release(&list);
}

/* Between the two clicks of a double one a line may appear above: what the first one meant is opened. */
TEST(a_double_click_is_one_line)
{
    struct list list = {0};

    list_begin(&list, 5, 5);
    assert_int_equal(list_clicked(&list, 2, 4, false), 2);
    list.at = 2;
    list_select(&list, "c");
    list_begin(&list, 6, 5);
    list_found(&list, 3);
    assert_int_equal(list_clicked(&list, 2, 4, true), 3);
    assert_int_equal(list_clicked(&list, 3, 4, true), 3);
    assert_int_equal(list_clicked(&list, 2, 3, true), 1); /* no first click there */
    list_clicked(&list, 2, 4, false);
    list_begin(&list, 5, 5);
    list_lost(&list);
    assert_true(list_clicked(&list, 2, 4, true) == SIZE_MAX);
    list_release(&list);
}
