#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/drawn.h"
#include "tui/views/list.h"

/* However one moves, the selected line is on the screen and inside the list. */
static void selection_stays_on_screen(void **state)
{
    static const enum action moves[] = {ACTION_DOWN,   ACTION_PAGE_DOWN, ACTION_LAST,      ACTION_DOWN,
                                        ACTION_UP,     ACTION_PAGE_UP,   ACTION_PAGE_UP,   ACTION_FIRST,
                                        ACTION_UP,     ACTION_PAGE_DOWN, ACTION_HALF_DOWN, ACTION_HALF_DOWN,
                                        ACTION_HALF_UP};
    struct list list = {0};

    (void)state;
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
static void moves_by_half_a_page(void **state)
{
    struct list list = {0};

    (void)state;
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
static void other_actions_do_not_move(void **state)
{
    struct list list = {0};

    (void)state;
    list_begin(&list, 10, 5);
    assert_true(list_move(&list, ACTION_LAST));
    assert_false(list_move(&list, ACTION_OPEN));
    assert_false(list_move(&list, ACTION_LEFT));
    assert_int_equal(list.at, 9);
    list_release(&list);
}

/* The selection follows its thing to another line. */
static void selection_follows_its_thing(void **state)
{
    struct list list = {0};

    (void)state;
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
static void what_left_is_reported_and_its_place_kept(void **state)
{
    struct list list = {0};

    (void)state;
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
static void walking_goes_round(void **state)
{
    struct list list = {0};

    (void)state;
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
static void what_is_cut_is_counted(void **state)
{
    static const struct {
        size_t count, rows, at;
        const char *said;
    } cases[] = {{15, 12, 0, "3 more below"},
                 {15, 12, 14, "3 more above"},
                 {15, 5, 7, "3 more above, 7 below"},
                 {12, 12, 3, ""}};
    struct cells *cells = cells_new(40, 2);

    (void)state;
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
static void a_row_is_its_line(void **state)
{
    struct list list = {0};

    (void)state;
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
static void a_double_click_is_one_line(void **state)
{
    struct list list = {0};

    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selection_stays_on_screen),
        cmocka_unit_test(moves_by_half_a_page),
        cmocka_unit_test(other_actions_do_not_move),
        cmocka_unit_test(selection_follows_its_thing),
        cmocka_unit_test(what_left_is_reported_and_its_place_kept),
        cmocka_unit_test(walking_goes_round),
        cmocka_unit_test(what_is_cut_is_counted),
        cmocka_unit_test(a_row_is_its_line),
        cmocka_unit_test(a_double_click_is_one_line),
    };
    return cmocka_run_group_tests_name("list", tests, NULL, NULL);
}
