/* Proves that every unit is read exactly, printed back to the same value, and refused with a reason. */
#include <string.h>

#include "config/units.h"
#include "tests/support/test.h"

#define DURATION_FORM "write it as in 250ms, 10s, 5m, 2h or 30d"

/* A good duration has its exact value in milliseconds, fractions included. */
TEST(durations_are_exact)
{
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = {
        {"0", 0},
        {"0s", 0},
        {"1ms", 1},
        {"250ms", 250},
        {"10s", 10000},
        {"1.5s", 1500},
        {"0.001s", 1},
        {"5m", 300000},
        {"2h", 7200000},
        {"30d", 2592000000},
        {"36500d", INT64_C(36500) * 86400000},
        {"0.1d", 8640000},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int64_t ms = -1;
        assert_null(duration_parse(good[i].text, &ms));
        assert_int_equal(ms, good[i].ms);
    }
}

/* A bad duration says what is wrong and leaves the value alone. */
TEST(durations_are_refused)
{
    static const struct {
        const char *text, *problem;
    } bad[] = {
        {"", "is not a duration; " DURATION_FORM},
        {"soon", "is not a duration; " DURATION_FORM},
        {"1.s", "is not a duration; " DURATION_FORM},
        {" 1s", "is not a duration; " DURATION_FORM},
        {"10", "has no unit; " DURATION_FORM},
        {"1e3s", "has an unknown unit; " DURATION_FORM},
        {"10 s", "has an unknown unit; " DURATION_FORM},
        {"10sec", "has an unknown unit; " DURATION_FORM},
        {"1h30m", "has an unknown unit; " DURATION_FORM},
        {"-1s", "is negative; " DURATION_FORM},
        {"0.5ms", "is finer than a millisecond; " DURATION_FORM},
        {"1.0000000000001s", "is finer than a millisecond; " DURATION_FORM},
        {"36500.1d", "is too long; the longest duration is 36500d"},
        {"36501d", "is too long; the longest duration is 36500d"},
        {"9223372036854775807d", "is too long; the longest duration is 36500d"},
        {"99999999999999999999999s", "is too long; the longest duration is 36500d"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t ms = -7;
        const char *problem = duration_parse(bad[i].text, &ms);
        assert_non_null(problem);
        assert_string_equal(problem, bad[i].problem);
        assert_int_equal(ms, -7);
    }
}

/* What is printed is read back to the same value, in the largest unit that holds it. */
TEST(durations_round_trip)
{
    static const struct {
        int64_t ms;
        const char *text;
    } printed[] = {
        {0, "0s"},        {1, "1ms"},          {999, "999ms"},       {1000, "1s"},
        {1500, "1500ms"}, {60000, "1m"},       {90000, "90s"},       {3600000, "1h"},
        {86400000, "1d"}, {2592000000, "30d"}, {86401000, "86401s"},
    };
    char buffer[UNITS_TEXT];
    for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
        int64_t back = -1;
        assert_string_equal(duration_print(printed[i].ms, buffer, sizeof buffer), printed[i].text);
        assert_null(duration_parse(buffer, &back));
        assert_int_equal(back, printed[i].ms);
    }
}

/* Percentages, rates, counts within a time, numbers and ports: good ones are read, bad ones refused. */
TEST(other_units)
{
    int count = 0, port = 0;
    int64_t value = 0, ms = 0, number = 0;
    char buffer[UNITS_TEXT];
    assert_null(percent_parse("66%", &value));
    assert_int_equal(value, 66);
    assert_null(percent_parse("0", &value));
    assert_string_equal(percent_parse("66.5%", &value), "is not a percentage; write it as in 66%");
    assert_non_null(percent_parse("%", &value));
    assert_non_null(percent_parse("-1%", &value));
    assert_non_null(percent_parse("99999999999%", &value));

    assert_null(rate_parse("100/s", &value));
    assert_int_equal(value, 100);
    assert_string_equal(rate_parse("100", &value), "is not a rate; write it as in 100/s");
    assert_non_null(rate_parse("100/m", &value));

    assert_null(count_in_parse("3 in 10m", &count, &ms));
    assert_int_equal(count, 3);
    assert_int_equal(ms, 600000);
    assert_string_equal(count_in_print(count, ms, buffer, sizeof buffer), "3 in 10m");
    assert_string_equal(count_in_parse("3", &count, &ms),
                        "is not a count within a time; write it as in 3 in 10m");
    assert_non_null(count_in_parse("3in10m", &count, &ms));
    assert_non_null(count_in_parse("3 in 10", &count, &ms));

    int64_t least = 0, most = 0;
    char range[2 * UNITS_TEXT];
    assert_null(range_parse("500ms to  1m", &least, &most));
    assert_int_equal(least, 500);
    assert_int_equal(most, 60000);
    assert_string_equal(range_print(least, most, range, sizeof range), "500ms to 1m");
    assert_string_equal(range_parse("1s", &least, &most),
                        "is not a range of durations; write it as in 1s to 60s");
    assert_non_null(range_parse("1s-60s", &least, &most));
    assert_non_null(range_parse("1s to", &least, &most));
    assert_non_null(range_parse("1s to 60s to 90s", &least, &most));
    assert_non_null(range_parse(" to 60s", &least, &most));
    assert_string_equal(range_parse("60s to 1s", &least, &most),
                        "ends before it begins; write the shorter duration first");
    assert_non_null(range_parse("111111111111111111111111111111111111111111111111111 to 1s", &least, &most));

    assert_null(number_parse("-12", &number));
    assert_int_equal(number, -12);
    assert_string_equal(number_parse("12x", &number), "is not a whole number; write digits only");
    assert_string_equal(number_parse("99999999999999999999", &number),
                        "is too large; write a smaller number");
    assert_non_null(number_parse("", &number));
    assert_non_null(number_parse("-", &number));
    assert_non_null(number_parse("1.5", &number));

    assert_null(port_parse("65535", &port));
    assert_int_equal(port, 65535);
    static const char *const bad_ports[] = {"0", "65536", "", "-1", "21x", "http", "4294967297"};
    for (size_t i = 0; i < sizeof bad_ports / sizeof bad_ports[0]; i++)
        assert_string_equal(port_parse(bad_ports[i], &port), "is not a port; ports are 1 to 65535");
}
