/* Of what happens in a crowd, which of it is counted as a failover, and from when. */

#include "probe/election/recipe.h"
#include "probe/inject/run_stats.h"
#include "tests/support/test.h"

static void leads(struct run_stats *t, size_t i, int64_t number, uint64_t now_us)
{
    run_stats_changed(
        t, i, &(struct candidacy){.state = CANDIDATE_LEADING, .own = number, .acknowledged = true}, now_us);
}

static void goes(struct run_stats *t, size_t i, uint64_t now_us)
{
    run_stats_changed(t, i, &(struct candidacy){.state = CANDIDATE_JOINING, .own = SEQUENCE_NONE}, now_us);
}

/*
 * A leader whose znode somebody else deletes is followed by the next in no time that anybody could know: it
 * is counted, and makes the times of the deaths that were planned no better.
 */
TEST(what_nobody_planned_is_in_no_time)
{
    struct run_stats t;
    run_stats_init(&t);
    for (size_t i = 0; i < 3; i++)
        run_stats_enter(&t, 1);
    leads(&t, 0, 10, 100);
    run_stats_death(&t, KILL_CLOSE, 1000, 1500);
    goes(&t, 0, 1500);
    leads(&t, 1, 11, 4000);
    assert_true(run_stats_settle(&t, false));
    assert_int_equal(t.to_fail_over.count, 1);
    assert_int_equal(t.unplanned, 0);
    goes(&t, 1, 5000);
    leads(&t, 2, 12, 5000);
    assert_true(run_stats_settle(&t, false));
    assert_int_equal(t.failover_count, 2);
    assert_int_equal(t.to_fail_over.count, 1);
    assert_int_equal(t.to_fail_over.least_us, 3000);
    assert_int_equal(t.unplanned, 1);
    run_stats_free(&t);
}
