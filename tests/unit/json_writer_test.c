/* json_writer: whatever bytes come in, valid JSON comes out, and jansson reads back what was meant. */

#include <string.h>

#include "probe/json/json_writer.h"
#include "tests/support/json_back.h"
#include "tests/support/test.h"

/* Writes one string, checks that it is valid JSON and gives back expected; and, where not NULL,
   its raw form. */
static void check_string(const char *text, const char *expected, const char *raw)
{
    struct buffer out = {0};
    struct json_writer writer = json_writer_to(&out, false);
    json_write_string(&writer, text);
    json_t *read = json_back_of(&out);
    assert_string_equal(json_string_value(read), expected);
    if (raw) {
        assert_int_equal(out.length, strlen(raw));
        assert_memory_equal(out.bytes, raw, out.length);
    }
    for (size_t i = 0; i < out.length; i++)
        assert_true((unsigned char)out.bytes[i] >= 0x20 && out.bytes[i] != 0x7f);
    json_decref(read);
    buffer_free(&out);
}

/* Text that JSON can hold comes back byte for byte, and what could steer a terminal is escaped. */
TEST(keeps_text)
{
    check_string("", "", "\"\"");
    check_string("n_0000000042", "n_0000000042", "\"n_0000000042\"");
    check_string("a\"b\\c/d", "a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
    check_string("\x1b[2J\r\n\t\x7f", "\x1b[2J\r\n\t\x7f", "\"\\u001b[2J\\u000d\\u000a\\u0009\\u007f\"");
    check_string("gr\xc3\xbc\xc3\x9f \xe4\xb8\xad \xf0\x9f\x98\x80",
                 "gr\xc3\xbc\xc3\x9f \xe4\xb8\xad \xf0\x9f\x98\x80", NULL);
    check_string("\xc2\x9b"
                 "2J",
                 "\xc2\x9b"
                 "2J",
                 "\"\\u009b2J\"");
    check_string("\xe2\x80\xae"
                 "evil",
                 "\xe2\x80\xae"
                 "evil",
                 "\"\\u202eevil\"");
    check_string("\xe2\x80\xa8", "\xe2\x80\xa8", "\"\\u2028\"");
    /* What nobody sees, and what joins its neighbours: the same table as for the terminal. */
    check_string("\u200bx\u00ad\u2060", "\u200bx\u00ad\u2060", "\"\\u200bx\\u00ad\\u2060\"");
    check_string("\U000e0041", "\U000e0041", "\"\\udb40\\udc41\"");
    check_string("\U0010ffff", "\U0010ffff", "\"\\udbff\\udfff\"");
}

/* A byte that is no UTF-8 becomes \xNN: cut, overlong, surrogate, beyond the last character, lone. */
TEST(shows_invalid_bytes)
{
    check_string("\xff", "\\xff", "\"\\\\xff\"");
    check_string("a\x80z", "a\\x80z", NULL);
    check_string("cut \xe4\xb8", "cut \\xe4\\xb8", NULL);
    check_string("\xc0\xaf", "\\xc0\\xaf", NULL);
    check_string("\xe0\x80\xaf", "\\xe0\\x80\\xaf", NULL);
    check_string("\xed\xa0\x80", "\\xed\\xa0\\x80", NULL);
    check_string("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", NULL);
    check_string("\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80", NULL);
}

/* Every pair of bytes in the middle of a text gives valid JSON. */
TEST(survives_every_pair)
{
    struct buffer out = {0};
    struct json_writer writer = json_writer_to(&out, false);
    json_write_begin(&writer, '[');
    for (int a = 1; a < 256; a++)
        for (int b = 1; b < 256; b++)
            json_write_string(&writer, (char[]){'<', (char)a, (char)b, '>', '\0'});
    json_write_end(&writer, ']');
    json_t *read = json_back_of(&out);
    assert_int_equal(json_array_size(read), 255 * 255);
    json_decref(read);
    buffer_free(&out);
}

static void check_ms(int64_t us, const char *expected)
{
    struct buffer out = {0};
    struct json_writer writer = json_writer_to(&out, false);
    json_write_ms(&writer, us);
    buffer_put_char(&out, '\0');
    assert_string_equal(out.bytes, expected);
    buffer_free(&out);
}

/* Durations are numbers: decimals only below 10 ms, never negative. */
TEST(writes_durations)
{
    check_ms(-1, "null");
    check_ms(0, "0");
    check_ms(7, "0.007");
    check_ms(600, "0.6");
    check_ms(1000, "1");
    check_ms(9990, "9.99");
    check_ms(9999, "9.999");
    check_ms(10000, "10");
    check_ms(412499, "412");
    check_ms(412500, "413");
    check_ms(INT64_MAX, "9223372036854776");
}

static void check_time(int64_t us, const char *expected)
{
    struct buffer out = {0};
    struct json_writer writer = json_writer_to(&out, false);
    json_write_time(&writer, us);
    buffer_put_char(&out, '\0');
    assert_string_equal(out.bytes, expected);
    buffer_free(&out);
}

/* Times are RFC 3339 in UTC; a clock that makes no sense is not known. */
TEST(writes_times)
{
    check_time(1795183402104999, "\"2026-11-20T14:03:22.104Z\"");
    check_time(1, "\"1970-01-01T00:00:00.000Z\"");
    check_time(0, "null");
    check_time(-5, "null");
    check_time(INT64_MAX, "null");
}

/* Commas and line breaks fall where they belong, in both forms. */
TEST(lays_out)
{
    struct buffer out = {0};
    struct json_writer writer = json_writer_to(&out, true);
    json_write_begin(&writer, '{');
    json_write_key(&writer, "a");
    json_write_begin(&writer, '[');
    json_write_end(&writer, ']');
    json_write_key(&writer, "b");
    json_write_begin(&writer, '[');
    json_write_line(&writer, 2);
    json_write_bool(&writer, true);
    json_write_line(&writer, 20);
    json_write_null(&writer);
    json_write_line(&writer, 0);
    json_write_end(&writer, ']');
    json_write_key(&writer, "c");
    json_write_session(&writer, 0xf00002a4d0a0001);
    json_write_key(&writer, "d");
    json_write_session(&writer, 0);
    json_write_key(&writer, "e");
    json_write_int(&writer, INT64_MIN);
    json_write_key(&writer, "f");
    json_write_uint(&writer, UINT64_MAX);
    json_write_end(&writer, '}');
    buffer_put_char(&out, '\0');
    assert_string_equal(out.bytes, "{\"a\": [], \"b\": [\n  true,\n                    null\n], "
                                   "\"c\": \"0xf00002a4d0a0001\", \"d\": null, \"e\": -9223372036854775808, "
                                   "\"f\": 18446744073709551615}");
    buffer_free(&out);
}
