/* Proves that moments are read exactly, in the local time zone where none is named, and refused with a
 * reason. */
#include <stdlib.h>
#include <time.h>

#include "config/times.h"
#include "tests/support/test.h"

#define S INT64_C(1000000)
#define NOON (INT64_C(1795176000) * S) /* 2026-11-20T12:00:00Z */

static void zone(const char *name)
{
    setenv("TZ", name, 1);
    tzset();
}

static void expect(const char *text, int64_t reference_us, int64_t wanted_us)
{
    int64_t at_us = -1;
    const char *problem = time_parse(text, reference_us, &at_us);
    if (problem)
        fail_msg("\"%s\" %s", text, problem);
    if (at_us != wanted_us)
        fail_msg("\"%s\" is %lld, not %lld", text, (long long)at_us, (long long)wanted_us);
}

/* RFC 3339 says what it means whatever the local zone is. */
TEST(rfc_3339_is_exact)
{
    static const char *const zones[] = {"UTC", "Europe/Berlin", "America/St_Johns"};
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
        zone(zones[i]);
        expect("2026-11-20T12:00:00Z", 0, NOON);
        expect("2026-11-20T12:00Z", 0, NOON);
        expect("2026-11-20t12:00:00.104z", 0, NOON + 104000);
        expect("2026-11-20T12:00:00.104233Z", 0, NOON + 104233);
        expect("2026-11-20 13:00:00+01:00", 0, NOON);
        expect("2026-11-20T08:30:00-03:30", 0, NOON);
        expect("2024-02-29T00:00:00Z", 0, INT64_C(1709164800) * S);
        expect("2000-03-01T00:00:00Z", 0, INT64_C(951868800) * S);
        expect("2016-12-31T23:59:60Z", 0, INT64_C(1483228800) * S);
    }
}

/* A clock time is the latest such one, today's or yesterday's, and so is a day without a zone local. */
TEST(clock_times_are_local)
{
    zone("UTC");
    expect("11:59", NOON, NOON - 60 * S);
    expect("12:00", NOON, NOON);
    expect("12:00:00.5", NOON, NOON - 86400 * S + 500000);
    expect("14:03", NOON, NOON - 86400 * S + (2 * 3600 + 180) * S);
    zone("Europe/Berlin");
    expect("12:59", NOON, NOON - 60 * S);
    expect("13:00", NOON, NOON);
    expect("2026-11-20T13:00", NOON, NOON);
    expect("2026-11-20 13:00:01", NOON, NOON + S);
    expect("2026-07-01 14:00", NOON, INT64_C(1782907200) * S);
}

/* A day is where it begins, on the wall: also where midnight comes twice, or not at all. */
TEST(a_day_is_its_beginning)
{
    int64_t at_us;
    zone("UTC");
    expect("2026-11-20", 0, NOON - 12 * 3600 * S);
    zone("Europe/Berlin");
    expect("2026-11-20", 0, NOON - 13 * 3600 * S);
    zone("America/Havana");
    expect("2026-11-01", 0, INT64_C(1793505600) * S); /* 04:00Z: midnight comes again an hour later */
    expect("2026-03-08", 0, INT64_C(1772946000) * S); /* 05:00Z: it begins at 01:00 */
    zone("Pacific/Apia");
    assert_non_null(time_parse("2011-12-30", NOON, &at_us)); /* left out, for another side of the date line */
}

/* Where clocks are put back 02:30 comes twice: the latest that is not after the reference. Where they are
   put forward it does not come: then it is the day before's. */
TEST(knows_days_of_other_lengths)
{
    const int64_t first = INT64_C(1792888200) * S, second = first + 3600 * S; /* 2026-10-25T00:30Z */
    int64_t at_us;
    zone("Europe/Berlin");
    expect("02:30", second + S, second);
    expect("02:30", second - S, first);
    expect("02:30", second + 30 * 3600 * S, second + 24 * 3600 * S);
    expect("02:30", INT64_C(1774785600) * S, INT64_C(1774661400) * S); /* 2026-03-29T12:00Z */
    assert_non_null(time_parse("2026-03-29T02:30", NOON, &at_us));
}

TEST(distances_go_both_ways)
{
    expect("-10m", NOON, NOON - 600 * S);
    expect("+90s", NOON, NOON + 90 * S);
    expect("-1.5h", NOON, NOON - 5400 * S);
    expect("-0", NOON, NOON);
}

/* What cannot be meant is refused, and nothing is written. */
TEST(refuses)
{
    static const char *const bad[] = {"",
                                      "-",
                                      "+",
                                      "now",
                                      "10m",
                                      "-10",
                                      "-10x",
                                      "1:03",
                                      "14",
                                      "14:",
                                      "14:3",
                                      "24:00",
                                      "12:60",
                                      "12:00:61",
                                      "12:00:00.",
                                      "12:00:00.1234567",
                                      "12:00Z",
                                      "12:00 ",
                                      "2026-11-20Z",
                                      "2026-11-31",
                                      "2026-11-20 ",
                                      "2026-11",
                                      "2026-11-20T",
                                      "2026-11-20T12",
                                      "2026-11-31T12:00Z",
                                      "2026-02-29T12:00Z",
                                      "2026-00-10T12:00Z",
                                      "2026-13-10T12:00Z",
                                      "1969-01-01T00:00Z",
                                      "9999-01-01T00:00Z",
                                      "2026-11-20T12:00+1:00",
                                      "2026-11-20T12:00+24:00",
                                      "2026-11-20T12:00Zulu",
                                      "-36501d",
                                      "-100000000000000d",
                                      "20261120T120000Z",
                                      "-60d\n",
                                      "\xff"};
    zone("UTC");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t at_us = 7;
        if (!time_parse(bad[i], NOON, &at_us))
            fail_msg("\"%s\" is taken", bad[i]);
        assert_int_equal(at_us, 7);
    }
}
