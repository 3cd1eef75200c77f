#include <string.h>

#include "tests/support/test.h"
#include "tui/screen/safe.h"
#include "tui/views/data_lines.h"

static const unsigned char *bytes(const char *text)
{
    return (const unsigned char *)text;
}

static void make(struct data_lines *lines, enum data_form form, const char *data, int width)
{
    data_lines_make(lines, form, bytes(data), strlen(data), width, false);
}

/* Only what is an object or an array counts as JSON: a bare number is a text. */
TEST(forms_fit_the_data)
{
    assert_true(data_form_fits(DATA_JSON, bytes("{\"a\":1}"), 7));
    assert_true(data_form_fits(DATA_JSON, bytes("[1]"), 3));
    assert_false(data_form_fits(DATA_JSON, bytes("12"), 2));
    assert_false(data_form_fits(DATA_JSON, bytes("{\"a\":"), 5));
    assert_false(data_form_fits(DATA_JSON, bytes(""), 0));
    assert_true(data_form_fits(DATA_TEXT, bytes("host:80\n"), 8));
    assert_false(data_form_fits(DATA_TEXT, bytes("\x12\x00\x08\x01\xff\xfe"), 6));
    assert_true(data_form_fits(DATA_HEX, bytes(""), 0));
}

/* JSON is laid out a member a line, in the order it came; folded, what is nested is only counted. */
TEST(json_is_laid_out_and_folded)
{
    static const char data[] = "{\"z\":{\"deep\":[1,2]},\"a\":[3,4,5],\"host\":\"h\"}";
    struct data_lines lines = {0};

    make(&lines, DATA_JSON, data, 80);
    assert_int_equal(lines.count, 14);
    assert_string_equal(lines.at[0].text, "{");
    assert_string_equal(lines.at[1].text, "  \"z\": {");
    make(&lines, DATA_FOLDED, data, 80);
    assert_int_equal(lines.count, 3);
    assert_string_equal(lines.at[0].text, "z: { 1 member }");
    assert_string_equal(lines.at[1].text, "a: [ 3 items ]");
    assert_string_equal(lines.at[2].text, "host: \"h\"");
    data_lines_release(&lines);
}

/* No line is wider than asked, nothing is lost, and wide characters are not split. */
TEST(text_is_wrapped_without_loss)
{
    static const char data[] =
        "\xe6\x9d\xb1\xe4\xba\xac\xe3\x83\x9b\xe3\x82\xb9\xe3\x83\x88 and \x1b[31m more";
    struct data_lines lines = {0};

    for (int width = 4; width < 30; width++) {
        size_t total = 0;

        make(&lines, DATA_TEXT, data, width);
        for (size_t i = 0; i < lines.count; i++) {
            assert_true(safe_width(lines.at[i].text, lines.at[i].length, false) <= width);
            assert_memory_equal(lines.at[i].text, data + total, lines.at[i].length);
            total += lines.at[i].length;
        }
        assert_int_equal(total, strlen(data));
    }
    data_lines_release(&lines);
}

/* Lines end at either kind of line end, and empty ones stay. */
TEST(text_keeps_its_lines)
{
    struct data_lines lines = {0};

    make(&lines, DATA_TEXT, "a\r\n\nb\n", 80);
    assert_int_equal(lines.count, 3);
    assert_string_equal(lines.at[0].text, "a");
    assert_string_equal(lines.at[1].text, "");
    assert_string_equal(lines.at[2].text, "b");
    data_lines_release(&lines);
}

/* Every byte is there in hexadecimal, and the columns stay aligned in the last line. */
TEST(hex_shows_every_byte)
{
    struct data_lines lines = {0};
    unsigned char data[20];

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 13);
    data_lines_make(&lines, DATA_HEX, data, sizeof data, 80, false);
    assert_int_equal(lines.count, 2);
    assert_memory_equal(lines.at[0].text, "00000000  00 0d 1a 27 34 41 4e 5b  68 75", 40);
    assert_memory_equal(lines.at[1].text, "00000010  d0 dd ea f7 ", 22);
    assert_int_equal(strcspn(lines.at[1].text + 30, ".") + 30, 60);
    data_lines_release(&lines);
}

/* Depth that would overrun a parser is not JSON, and no crash. */
TEST(deep_nesting_is_text)
{
    char data[4096];

    memset(data, '[', sizeof data);
    assert_false(data_form_fits(DATA_JSON, bytes(data), sizeof data));
}
