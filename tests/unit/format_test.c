/* Numbers and times for people: the same length and the same form everywhere. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/test.h"
#include "tui/words/format.h"

#define MS INT64_C(1000)
#define S (1000 * MS)
#define M (60 * S)
#define H (60 * M)
#define D (24 * H)

/* What is at most so long is never printed as less; a list has no seconds. */
TEST(prints_bounds_of_ages)
{
    static const struct {
        int64_t us;
        unsigned form;
        const char *text;
    } rows[] = {
        {801 * MS, AGE_AT_MOST, "0.9s"},
        {9999 * MS, AGE_AT_MOST, "10s"},
        {59 * S + 1, AGE_AT_MOST, "1m00s"},
        {2 * M + 50 * S, AGE_AT_MOST, "2m50s"},
        {2 * M + 50 * S, AGE_AT_MOST | AGE_MINUTES, "3m"},
        {2 * M + 50 * S, AGE_MINUTES, "2m"},
        {H - 1, AGE_AT_MOST | AGE_MINUTES, "1h00m"},
        {2 * H + 1, AGE_AT_MOST, "2h01m"},
        {3 * D + 1, AGE_AT_MOST, "3d01h"},
        {400 * D + 1, AGE_AT_MOST, "401d"},
        {59 * S, AGE_MINUTES, "59s"},
        {INT64_MAX, AGE_AT_MOST | AGE_MINUTES, ">99kd"},
    };
    char buffer[16];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(format_age_as(rows[i].us, rows[i].form, buffer, sizeof buffer), rows[i].text);
}

/* Every form of an age, at both ends of its range. Cut, not rounded. */
TEST(prints_ages)
{
    static const struct {
        int64_t us;
        const char *text;
    } rows[] = {
        {-5, "0.0s"},
        {0, "0.0s"},
        {800 * MS, "0.8s"},
        {9999 * MS, "9.9s"},
        {10 * S, "10s"},
        {60 * S - 1, "59s"},
        {60 * S, "1m00s"},
        {4 * M + 12 * S, "4m12s"},
        {H - 1, "59m59s"},
        {2 * H + 11 * M, "2h11m"},
        {D - 1, "23h59m"},
        {3 * D + 4 * H, "3d04h"},
        {100 * D - 1, "99d23h"},
        {412 * D, "412d"},
        {99999 * D, "99999d"},
        {INT64_MAX, ">99kd"},
    };
    char buffer[32];
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        assert_string_equal(format_age(rows[i].us, buffer, sizeof(buffer)), rows[i].text);
        assert_true(strlen(buffer) <= 6);
    }
}

/* Three figures, and no fourth where rounding carries. */
TEST(prints_spans)
{
    static const struct {
        int64_t us;
        const char *text;
    } rows[] = {
        {0, "0.00ms"},        {410, "0.41ms"},           {994, "0.99ms"},       {9994, "9.99ms"},
        {9995, "10.0ms"},     {99949, "99.9ms"},         {99950, "100ms"},      {412 * MS, "412ms"},
        {999499, "999ms"},    {999500, "1.00s"},         {1240 * MS, "1.24s"},  {9994 * MS, "9.99s"},
        {9995 * MS, "10.0s"}, {12345 * MS, "12.3s"},     {59949 * MS, "59.9s"}, {59950 * MS, "1m00s"},
        {125 * S, "2m05s"},   {2 * H + 11 * M, "2h11m"},
    };
    char buffer[32];
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_string_equal(format_span(rows[i].us, buffer, sizeof(buffer)), rows[i].text);
}

/* Clocks are local, records are UTC, and no time is "?", never the year 1970. */
TEST(prints_times)
{
    setenv("TZ", "UTC-2", 1);
    tzset();
    char buffer[32];
    const int64_t at = INT64_C(1795183402104000);
    assert_string_equal(format_time(at, buffer, sizeof(buffer)), "2026-11-20T14:03:22.104Z");
    assert_string_equal(format_clock(at, buffer, sizeof(buffer)), "16:03:22");
    assert_string_equal(format_clock_ms(at, buffer, sizeof(buffer)), "16:03:22.104");
    assert_string_equal(format_clock(0, buffer, sizeof(buffer)), "?");
    assert_string_equal(format_time(0, buffer, sizeof(buffer)), "?");
}

/* What is only known within bounds is told with both, and an open bound never looks like a number. */
TEST(prints_intervals)
{
    static const struct {
        int64_t low, high;
        const char *text, *ascii;
    } rows[] = {
        {-1, -1, "?", "?"},
        {0, 0, "0ms", "0ms"},
        {412 * MS, 412 * MS, "412ms", "412ms"},
        {1900 * MS, 4 * S, "1.90 – 4.00s", "1.90-4.00s"},
        {412 * MS, 4 * S, "412ms – 4.00s", "412ms-4.00s"},
        {90 * S, 150 * S, "1m30s – 2m30s", "1m30s-2m30s"},
        {0, 4 * S, "0 – 4.00s", "0-4.00s"},
        {0, 1, "0 – 0.01ms", "0-0.01ms"},
        {-1, 12941 * MS, "≤ 13.0s", "<= 13.0s"},
        {12999 * MS, -1, "≥ 12.9s", ">= 12.9s"},
        {-1, INT64_C(86400) * 1106 * S + 1, "≤ 1107d", "<= 1107d"},
        {412 * MS, -1, "≥ 412ms", ">= 412ms"},
        {0, -1, "≥ 0", ">= 0"},
        {-1, 4 * S, "≤ 4.00s", "<= 4.00s"},
        {9999 * MS, 10 * S, "10.0s", "10.0s"},
    };
    char buffer[FORMAT_INTERVAL];
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        assert_string_equal(format_interval(rows[i].low, rows[i].high, false, buffer), rows[i].text);
        assert_string_equal(format_interval(rows[i].low, rows[i].high, true, buffer), rows[i].ascii);
    }
}

/* Times of the model are in UTC without a date: they are shown in local time, of the day that is nearest. */
TEST(local_times_in_texts)
{
    static const struct {
        const char *zone, *text, *shown;
    } cases[] = {
        {"UTC0", "created at 08:10:12Z, first", "created at 08:10:12, first"},
        {"CET-1", "created at 08:10:12Z (23:59:59Z)", "created at 09:10:12 (00:59:59)"},
        {"EST5", "08:10:12Z", "03:10:12"},
        {"CET-1", "2026-11-20T08:10:12Z x08:10:12Z 08:10:12 8:10:12Z 08:10:1Z",
         "2026-11-20T08:10:12Z x08:10:12Z 08:10:12 8:10:12Z 08:10:1Z"},
        {"CET-1", "", ""},
    };
    char buffer[200];
    char *before = getenv("TZ") ? strdup(getenv("TZ")) : NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("TZ", cases[i].zone, 1);
        tzset();
        assert_string_equal(
            format_local_times(cases[i].text, INT64_C(1795162212000000), buffer, sizeof buffer),
            cases[i].shown);
    }
    setenv("TZ", "CET-1", 1);
    tzset();
    assert_string_equal(format_stamp(INT64_C(1795162212000000), buffer, sizeof buffer),
                        "2026-11-20 09:10:12 CET");
    before ? setenv("TZ", before, 1) : unsetenv("TZ");
    tzset();
    free(before);
}
