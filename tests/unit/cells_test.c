/* The grid: nothing is ever written outside its span, and no half of a wide character stays behind. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/drawn.h"
#include "tests/support/test.h"

static void assert_grid(struct cells *cells, const char *wanted)
{
    char *text = drawn_text(cells);
    assert_string_equal(text, wanted);
    free(text);
    /* A wide character is always followed by its right half, and a half never stands alone. */
    for (int y = 0; y < cells->height; y++)
        for (int x = 0; x < cells->width; x++) {
            const struct cell *cell = &cells->at[y * cells->width + x];
            if (cell->width == 2)
                assert_true(x + 1 < cells->width && cell[1].width == 0);
            if (cell->width == 0)
                assert_true(x > 0 && cell[-1].width == 2);
        }
    cells_clear(cells);
}

/* What does not fit ends in an ellipsis, exactly at the span's end, also through a wide character. */
TEST(cuts_to_the_room)
{
    struct cells *cells = cells_new(10, 1);
    assert_int_equal(cells_put(cells, 0, 0, 5, ROLE_TEXT, "12345"), 5);
    assert_grid(cells, "12345\n");
    assert_int_equal(cells_put(cells, 0, 0, 5, ROLE_TEXT, "123456"), 5);
    assert_grid(cells, "1234…\n");
    assert_int_equal(cells_put(cells, 7, 0, -1, ROLE_TEXT, "123456"), 3);
    assert_grid(cells, "       12…\n");
    cells_put(cells, 0, 0, 4, ROLE_TEXT, "漢字字");
    assert_grid(cells, "漢 …\n");
    cells_put(cells, 0, 0, 5, ROLE_TEXT, "漢字字");
    assert_grid(cells, "漢字…\n");
    cells_put(cells, 0, 0, 1, ROLE_TEXT, "漢");
    assert_grid(cells, "…\n");
    cells_put(cells, 0, 0, 6, ROLE_TEXT, "ab\x1b[2J");
    assert_grid(cells, "ab\\x1…\n");
    assert_int_equal(cells_put(cells, 0, 0, 0, ROLE_TEXT, "abc"), 0);
    assert_grid(cells, "\n");
    cells->ascii = true;
    cells_put(cells, 0, 0, 5, ROLE_TEXT, "123456");
    assert_grid(cells, "123..\n");
    cells_put(cells, 0, 0, 1, ROLE_TEXT, "123456");
    assert_grid(cells, "\n"); /* half an ellipsis would be a dot of the text */
    cells_free(cells);
}

/* Coordinates outside are clipped on every side. */
TEST(clips_on_every_side)
{
    struct cells *cells = cells_new(4, 2);
    cells_put(cells, -2, 0, -1, ROLE_TEXT, "abcd");
    assert_grid(cells, "cd\n\n");
    cells_put(cells, -1, 0, -1, ROLE_TEXT, "漢b");
    assert_grid(cells, " b\n\n");
    cells_put(cells, -20, 0, 5, ROLE_TEXT, "abcd");
    cells_put(cells, 4, 0, -1, ROLE_TEXT, "abcd");
    cells_put(cells, 0, 2, -1, ROLE_TEXT, "abcd");
    cells_put(cells, 0, -1, -1, ROLE_TEXT, "abcd");
    cells_put(cells, INT32_MIN, 0, -1, ROLE_TEXT, "abcd");
    cells_put(cells, INT32_MAX, 0, INT32_MAX, ROLE_TEXT, "abcd");
    cells_fill(cells, -5, 5, 100, ROLE_TEXT);
    cells_rule(cells, 3, 9, 100, "caption");
    cells_select_row(cells, -1, 0, 10);
    assert_grid(cells, "\n\n");
    cells_put_right(cells, 4, 1, -1, ROLE_TEXT, "12");
    assert_grid(cells, "\n  12\n");
    cells_put_right(cells, 4, 1, -1, ROLE_TEXT, "123456");
    assert_grid(cells, "\n123…\n");
    cells_free(cells);
}

/* Written over, both halves of a wide character go. */
TEST(leaves_no_halves)
{
    struct cells *cells = cells_new(6, 1);
    cells_put(cells, 0, 0, -1, ROLE_TEXT, "漢字漢");
    cells_put(cells, 1, 0, -1, ROLE_TEXT, "x");
    assert_grid(cells, " x字漢\n");
    cells_put(cells, 0, 0, -1, ROLE_TEXT, "漢字漢");
    cells_put(cells, 1, 0, -1, ROLE_TEXT, "漢");
    assert_grid(cells, " 漢 漢\n");
    cells_put(cells, 0, 0, -1, ROLE_TEXT, "漢字漢");
    cells_fill(cells, 2, 0, 1, ROLE_TEXT);
    assert_grid(cells, "漢  漢\n");
    cells_free(cells);
}

/* Strangers' bytes never split a line or move the cursor; every sign has an ASCII form. */
TEST(is_safe)
{
    struct cells *cells = cells_new(40, 2);
    cells_put(cells, 0, 0, -1, ROLE_TEXT, "a\nb\x1b[2J\u202e\xff");
    assert_grid(cells, "a\\x0ab\\x1b[2J\\u202e\\xff\n\n");
    cells_put_bytes(cells, 0, 0, -1, ROLE_TEXT, "a\0b", 3);
    assert_grid(cells, "a\\x00b\n\n");
    cells->ascii = true;
    for (int i = 0; i < SIGN_COUNT; i++) {
        const char *sign = cells_sign(cells, (enum sign)i);
        assert_true(*sign);
        for (; *sign; sign++)
            assert_true(*sign >= 0x20 && *sign < 0x7f);
    }
    cells->ascii = false;
    for (int i = 0; i < SIGN_COUNT; i++)
        assert_true(*cells_sign(cells, (enum sign)i));
    cells_free(cells);
}

/* A rule goes from end to end, with its caption in it where there is room for both. */
TEST(draws_rules)
{
    struct cells *cells = cells_new(14, 1);
    cells_rule(cells, 0, 0, -1, NULL);
    assert_grid(cells, "──────────────\n");
    cells_rule(cells, 0, 0, -1, "events");
    assert_grid(cells, "─ events ─────\n");
    cells_rule(cells, 0, 0, 7, "events");
    assert_grid(cells, "─ ev… ─\n");
    cells_rule(cells, 0, 0, 4, "events");
    assert_grid(cells, "────\n");
    cells_free(cells);
}

/* Of no size, of any size, and never beyond what a terminal can have. */
/* Sentences of a failover hold a dash and bounds: on an ASCII screen they are no escapes. */
TEST(shows_sentences_in_ascii)
{
    struct cells ascii = {.ascii = true}, wide = {.ascii = false};
    char text[] = "≥ 1ms – 2ms, ≤ 3ms – 4ms", same[] = "2.3 – 3.7s";
    assert_string_equal(cells_plain(&ascii, text), ">= 1ms - 2ms, <= 3ms - 4ms");
    assert_string_equal(cells_plain(&wide, same), "2.3 – 3.7s");
}

TEST(takes_any_size)
{
    struct cells *cells = cells_new(0, 0);
    cells_put(cells, 0, 0, -1, ROLE_TEXT, "abc");
    cells_rule(cells, 0, 0, -1, "abc");
    cells_resize(cells, 1, 1);
    cells_put(cells, 0, 0, -1, ROLE_TEXT, "abc");
    assert_grid(cells, "…\n");
    cells_resize(cells, -3, 5);
    assert_int_equal(cells->width, 0);
    cells_free(cells);
    cells_free(NULL);
}
