/* What is asked of a run, as people write it; and that what cannot be meant is refused with a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probe/inject/run_options.h"

static void behaviours(void **state)
{
    (void)state;
    struct crowd_part parts[RUN_OPTIONS_PARTS];
    size_t count;
    assert_null(run_options_behaviour("herd:30%,slow:200ms:20%,deaf:50%", parts, &count));
    assert_int_equal(count, 3);
    assert_int_equal(parts[1].behaviour, BEHAVIOUR_SLOW);
    assert_int_equal(parts[1].slow_ms, 200);
    assert_true(parts[0].percent == 30 && parts[1].percent == 20);
    assert_null(run_options_behaviour("children", parts, &count));
    assert_true(parts[0].percent == 100);
    assert_null(run_options_behaviour(NULL, parts, &count));
    assert_int_equal(count, 0);
    static const char *const bad[] = {"herd:101%",  "herd:60%,deaf:60%",
                                      "herd:0%",    "herd:-1%",
                                      "nobody",     ",",
                                      "herd,",      "herd:",
                                      "slow",       "slow:",
                                      "herd:5%:5%", "slow:0ms",
                                      "slow:1000d", "herd:99999999999999999999%"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_non_null(run_options_behaviour(bad[i], parts, &count));
}

static void deaths_and_sessions(void **state)
{
    (void)state;
    enum crowd_victim victim;
    enum kill_mode how;
    uint64_t every_ms;
    size_t each;
    assert_null(run_options_kill("leader:every=250ms", &victim, &every_ms));
    assert_true(victim == VICTIM_LEADER && every_ms == 250);
    assert_null(run_options_kill("random", &victim, &every_ms));
    assert_true(victim == VICTIM_RANDOM && every_ms == 2000);
    static const char *const bad[] = {
        "", "leaders", "leader:", "leader:2s", "leader:every=0s", "leader:every=x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_non_null(run_options_kill(bad[i], &victim, &every_ms));
    assert_null(run_options_how("pause", &how));
    assert_int_equal(how, KILL_PAUSE);
    assert_non_null(run_options_how("", &how));
    assert_null(run_options_sessions("shared:100", &each));
    assert_int_equal(each, 100);
    assert_null(run_options_sessions("own", &each));
    assert_int_equal(each, 1);
    assert_non_null(run_options_sessions("shared:0", &each));
    assert_non_null(run_options_sessions("shared:-3", &each));
    assert_non_null(run_options_sessions("shared", &each));
}

static void expectations(void **state)
{
    (void)state;
    struct expectation e;
    assert_null(run_options_expect("failover.p99<2s", &e));
    assert_true(e.figure == FIGURE_FAILOVER && e.of == OF_P99 && e.value == 2000000);
    assert_true(expectation_holds(&e, 1999999) && !expectation_holds(&e, 2000000));
    assert_false(expectation_holds(&e, -1)); /* nothing is known: nothing is proved */
    assert_null(run_options_expect("failover.count>=10", &e));
    assert_true(expectation_holds(&e, 10) && !expectation_holds(&e, 9));
    assert_null(run_options_expect("errors=0", &e));
    assert_true(expectation_holds(&e, 0) && !expectation_holds(&e, 1));
    assert_null(run_options_expect("errors==0", &e));
    assert_null(run_options_expect("failover.p99 <= 2s", &e));
    assert_true(expectation_holds(&e, 2000000) && !expectation_holds(&e, 2000001));
    assert_null(run_options_expect("expired < 1", &e));
    static const char *const bad[] = {"",          "failover",     "failover<2s",  "failover.p95<2s",
                                      "x.p99<2s",  "errors.p99<1", "failover.p99", "failover.p99<2",
                                      "errors=2s", "errors=-1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_non_null(run_options_expect(bad[i], &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(behaviours), cmocka_unit_test(deaths_and_sessions),
                                       cmocka_unit_test(expectations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
