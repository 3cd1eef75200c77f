/* What is asked of a run, as people write it; and that what cannot be meant is refused with a reason. */
#include <string.h>

#include "probe/inject/run_options.h"
#include "tests/support/test.h"

TEST(behaviours)
{
    struct run_options options = {0};
    const struct behaviour_share *shares = options.shares;
    assert_null(run_options_behaviour("herd:30%,slow:200ms:20%,deaf:50%", &options));
    assert_int_equal(options.share_count, 3);
    assert_int_equal(shares[1].behaviour, BEHAVIOUR_SLOW);
    assert_int_equal(shares[1].slow_ms, 200);
    assert_true(shares[0].percent == 30 && shares[1].percent == 20);
    assert_null(run_options_behaviour("children", &options));
    assert_true(shares[0].percent == 100);
    assert_null(run_options_behaviour(NULL, &options));
    assert_int_equal(options.share_count, 0);
    static const char *const bad[] = {"herd:101%",  "herd:60%,deaf:60%",
                                      "herd:0%",    "herd:-1%",
                                      "nobody",     ",",
                                      "herd,",      "herd:",
                                      "slow",       "slow:",
                                      "herd:5%:5%", "slow:0ms",
                                      "slow:1000d", "herd:99999999999999999999%"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_non_null(run_options_behaviour(bad[i], &options));
}

TEST(deaths_and_sessions)
{
    struct run_options options = {0};
    assert_null(run_options_kill("leader:every=250ms", &options));
    assert_true(options.victim == VICTIM_LEADER && options.every_ms == 250);
    assert_null(run_options_kill("random", &options));
    assert_true(options.victim == VICTIM_RANDOM && options.every_ms == 2000);
    static const char *const bad[] = {
        "", "leaders", "leader:", "leader:2s", "leader:every=0s", "leader:every=x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_non_null(run_options_kill(bad[i], &options));
    assert_null(run_options_how("pause", &options));
    assert_int_equal(options.how, KILL_PAUSE);
    assert_non_null(run_options_how("", &options));
    assert_null(run_options_sessions("shared:100", &options));
    assert_int_equal(options.per_session, 100);
    assert_null(run_options_sessions("own", &options));
    assert_int_equal(options.per_session, 1);
    assert_non_null(run_options_sessions("shared:0", &options));
    assert_non_null(run_options_sessions("shared:-3", &options));
    assert_non_null(run_options_sessions("shared", &options));
}

TEST(expectations)
{
    struct expectation e;
    assert_null(run_options_expect("failover.p99<2s", &e));
    assert_true(e.figure == EXPECTED_FAILOVER && e.of == OF_P99 && e.value == 2000000);
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
