/* Strangers' bytes: what is shown of them, how wide it is, and that nothing dangerous passes. */
#include <stdlib.h>
#include <string.h>
#include <locale.h>

#include "tests/support/test.h"
#include "tui/screen/safe.h"

struct row {
    const char *bytes;
    const char *shown;
    int width;
    const char *ascii; /* NULL: as shown */
};

static const struct row rows[] = {
    {"", "", 0, NULL},
    {"plain n_0000000042", "plain n_0000000042", 18, NULL},
    {"back\\slash", "back\\slash", 10, NULL},
    /* Control bytes, DEL, C1: none may reach a terminal, none may split a line. */
    {"a\x1b[2Jb", "a\\x1b[2Jb", 9, NULL},
    {"a\nb\rc\td\x7f", "a\\x0ab\\x0dc\\x09d\\x7f", 20, NULL},
    {"\xc2\x9b"
     "31m",
     "\\u009b31m", 9, NULL},
    /* Invalid UTF-8, byte by byte: lone, cut, overlong, surrogate, beyond the last character. */
    {"\xff\xfe", "\\xff\\xfe", 8, NULL},
    {"\x9b", "\\x9b", 4, NULL},
    {"\xe2\x82", "\\xe2\\x82", 8, NULL},
    {"\xc0\xaf", "\\xc0\\xaf", 8, NULL},
    {"\xe0\x80\xaf", "\\xe0\\x80\\xaf", 12, NULL},
    {"\xed\xa0\x80", "\\xed\\xa0\\x80", 12, NULL},
    {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", 16, NULL},
    {"\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80", 20, NULL},
    {"\xe2"
     "a",
     "\\xe2a", 5, NULL},
    /* Bidirectional controls, zero width, line separators, tags, private use, variation selectors. */
    {"a\u202egnp", "a\\u202egnp", 10, NULL},
    {"\u2066x\u2069", "\\u2066x\\u2069", 13, NULL},
    {"a\u200bb\u200d\ufeff", "a\\u200bb\\u200d\\ufeff", 20, NULL},
    {"e\u1ab0\u1dc4\u20dd\ufe20", "e\\u1ab0\\u1dc4\\u20dd\\ufe20", 25, NULL},
    {"a\u00a0\u2003\u202f\u3000", "a\\u00a0\\u2003\\u202f\\u3000", 25, NULL},
    {"\u2028", "\\u2028", 6, NULL},
    {"\u2800", "\\u2800", 6, NULL},
    {"\U000e0041", "\\U000e0041", 10, NULL},
    {"\ue000", "\\ue000", 6, NULL},
    {"\u26a0\ufe0f", "\u26a0\\ufe0f", 7, "\\u26a0\\ufe0f"},
    {"\u00adx", "\\u00adx", 7, NULL},
    {"\U0001f1e9\U0001f1ea", "\\U0001f1e9\\U0001f1ea", 20, NULL},
    /* Wide and combining characters. */
    {"\u6f22\u5b57", "\u6f22\u5b57", 4, "\\u6f22\\u5b57"},
    {"e\u0e34x", "e\u0e34x", 2, "e\\u0e34x"},
    {"\u0e34x", "\\u0e34x", 7, NULL},
    /* An accent of its own looks like the letter that has one. */
    {"cafe\u0301", "cafe\\u0301", 10, NULL},
    {"\u304b\u3099\u0627\u0654", "\u304b\\u3099\u0627\\u0654", 15, "\\u304b\\u3099\\u0627\\u0654"},
    {"\u1100\u1161", "\u1100\\u1161", 8, "\\u1100\\u1161"},
    {"\u00e9", "\u00e9", 1, "\\u00e9"},
    {"\U0001f600", "\U0001f600", 2, "\\U0001f600"},
    /* More marks than a cell holds: the further ones are escapes, not lost. */
    {"a\u0e34\u0e35\u0e36\u0e37\u0e38", "a\u0e34\u0e35\u0e36\u0e37\\u0e38", 7,
     "a\\u0e34\\u0e35\\u0e36\\u0e37\\u0e38"},
};

/* The table's left side is shown as its right side, with the right number of columns. */
TEST(shows_what_the_table_says)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct row *row = &rows[i];
        char *shown = safe_text(row->bytes, strlen(row->bytes), false),
             *ascii = safe_text(row->bytes, strlen(row->bytes), true);
        assert_string_equal(shown, row->shown);
        assert_int_equal(safe_width(row->bytes, strlen(row->bytes), false), row->width);
        assert_string_equal(ascii, row->ascii ? row->ascii : row->shown);
        assert_int_equal(safe_width(row->bytes, strlen(row->bytes), true), (int)strlen(ascii));
        free(shown);
        free(ascii);
    }
}

/* NUL bytes are data too: a text is as long as it is said to be. */
TEST(shows_nul_bytes)
{
    char *shown = safe_text("a\0b", 3, false);
    assert_string_equal(shown, "a\\x00b");
    free(shown);
}

/* The program's locale changes nothing: not one column. */
TEST(does_not_depend_on_the_locale)
{
    assert_non_null(setlocale(LC_ALL, "C"));
    assert_int_equal(safe_width("\u6f22e\u0e34", 7, false), 3);
    setlocale(LC_ALL, "C.UTF-8");
    assert_int_equal(safe_width("\u6f22e\u0e34", 7, false), 3);
    setlocale(LC_ALL, "C");
}

/* What is safe already is left alone: making safe twice is making safe once. */
TEST(is_stable)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char *again = safe_text(rows[i].shown, strlen(rows[i].shown), false);
        assert_string_equal(again, rows[i].shown);
        free(again);
    }
}

/* One question for all that prints or draws; "C" is no UTF-8, "C.UTF-8" is. */
TEST(reports_whether_the_locale_takes_utf8)
{
    assert_non_null(setlocale(LC_ALL, "C"));
    assert_false(safe_locale_is_utf8());
    assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
    assert_true(safe_locale_is_utf8());
}
