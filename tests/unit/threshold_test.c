/* Proves that thresholds are read as the plug-in guidelines say, and alert where those say. */

#include <math.h>

#include "config/threshold.h"
#include "tests/support/test.h"

/* The table of the guidelines, and durations. */
TEST(ranges)
{
    static const struct {
        const char *text, *printed;
        double quiet, alert;
    } table[] = {
        {"x=10", "10", 10, 10.5},
        {"x=10", "10", 0, -0.1},
        {"x=10:", "10:", 10, 9.9},
        {"x=~:10", "~:10", -1e9, 10.1},
        {"x=10:20", "10:20", 20, 9},
        {"x=@10:20", "@10:20", 21, 10},
        {"x=2s", "2", 2, 2.1},
        {"x=5m:", "300:", 300, 299},
        {"x=~:250ms", "~:0.25", 0.25, 0.26},
        {"failover.p99=1.5", "1.5", 1, 2},
        {"x=0", "0", 0, 1},
        {"x=1h:2h", "3600:7200", 4000, 1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct threshold threshold;
        char printed[THRESHOLD_TEXT];
        if (threshold_parse(table[i].text, &threshold))
            fail_msg("%s is refused", table[i].text);
        assert_string_equal(threshold_print(&threshold, printed), table[i].printed);
        if (threshold_alerts(&threshold, table[i].quiet) || !threshold_alerts(&threshold, table[i].alert))
            fail_msg("%s alerts wrongly", table[i].text);
    }
}

TEST(nonsense_is_refused)
{
    static const char *const table[] = {"",
                                        "x",
                                        "=3",
                                        "x=",
                                        "x=a",
                                        "x=3:1",
                                        "x=1:2:3",
                                        "x=@",
                                        "x=1 2",
                                        "x=1e5",
                                        "x=nan",
                                        "x=1y",
                                        "x=--1",
                                        "x=:",
                                        "x=1.1.1",
                                        "x=~",
                                        "x=:~",
                                        "x=-",
                                        "x=10s:1s",
                                        "a_figure_whose_name_is_longer_than_any_that_exists=1",
                                        "x=1111111111111111111111111111111111111111111111111111111111111"};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct threshold threshold = {.low = 42};
        if (!threshold_parse(table[i], &threshold))
            fail_msg("\"%s\" is taken", table[i]);
        assert_true(threshold.low == 42);
    }
}
