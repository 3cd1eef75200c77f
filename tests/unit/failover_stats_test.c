/* Percentiles of what is only known within bounds: they hold the true ones, and never claim more. */

#include <stdlib.h>

#include "probe/election/failover.h"
#include "tests/support/test.h"

static void expect(struct span span, int64_t low_us, int64_t high_us)
{
    assert_int_equal(span.low_us, low_us);
    assert_int_equal(span.high_us, high_us);
}

/* Nearest ranks, as on paper: 1 to 100. */
TEST(exact_lengths_give_exact_percentiles)
{
    struct failover_sample samples[100];
    struct failover_stats stats;
    for (int i = 0; i < 100; i++)
        samples[i] = (struct failover_sample){CAUSE_CLOSED, {100 - i, 100 - i}};
    failover_stats_make(samples, 100, &stats);
    assert_int_equal(stats.all.count, 100);
    expect(stats.all.p50, 50, 50);
    expect(stats.all.p90, 90, 90);
    expect(stats.all.p99, 99, 99);
    expect(stats.all.max, 100, 100);
    assert_int_equal(stats.by_cause[CAUSE_CLOSED].count, 100);
    assert_int_equal(stats.by_cause[CAUSE_EXPIRED].count, 0);
    expect(stats.by_cause[CAUSE_EXPIRED].p50, SPAN_OPEN, SPAN_OPEN);
    failover_stats_make(samples, 1, &stats);
    expect(stats.all.p50, 100, 100);
    expect(stats.all.max, 100, 100);
    failover_stats_make(NULL, 0, &stats);
    expect(stats.all.max, SPAN_OPEN, SPAN_OPEN);
}

/* Whatever the true lengths within the bounds are, their percentile lies within the percentile's bounds. */
TEST(intervals_hold_the_true_percentile)
{
    srand(7);
    for (int round = 0; round < 200; round++) {
        struct failover_sample known[37], truth[37];
        struct failover_stats within, exact;
        size_t count = 1 + (size_t)rand() % 37;
        for (size_t i = 0; i < count; i++) {
            int64_t low = rand() % 1000, wide = rand() % 500, real = low + (wide ? rand() % wide : 0);
            bool open = rand() % 10 == 0;
            known[i] = (struct failover_sample){CAUSE_EXPIRED, {low, open ? SPAN_OPEN : low + wide}};
            truth[i] = (struct failover_sample){CAUSE_EXPIRED, {real, real}};
        }
        failover_stats_make(known, count, &within);
        failover_stats_make(truth, count, &exact);
        const struct span bounds[] = {within.all.p50, within.all.p90, within.all.p99, within.all.max};
        const struct span reals[] = {exact.all.p50, exact.all.p90, exact.all.p99, exact.all.max};
        for (int i = 0; i < 4; i++) {
            assert_true(bounds[i].low_us <= reals[i].low_us);
            assert_true(bounds[i].high_us == SPAN_OPEN || bounds[i].high_us >= reals[i].low_us);
        }
    }
}

/* What counts: a total; without an acknowledgement what can be known; nothing that was found after a gap. */
TEST(samples_are_what_is_known)
{
    struct failover_sample sample;
    struct failover failover = {
        .cause = CAUSE_EXPIRED, .detection = {5, 9}, .vacancy = {1, 1}, .takeover = {2, 2}, .total = {8, 12}};
    assert_true(failover_sample_of(&failover, &sample));
    expect(sample.length, 8, 12);
    failover.takeover = failover.total = SPAN_UNKNOWN;
    assert_true(failover_sample_of(&failover, &sample));
    expect(sample.length, 6, 10);
    failover.detection.high_us = SPAN_OPEN;
    assert_true(failover_sample_of(&failover, &sample));
    expect(sample.length, 6, SPAN_OPEN);
    failover.detection = SPAN_UNKNOWN;
    assert_true(failover_sample_of(&failover, &sample));
    expect(sample.length, 1, SPAN_OPEN);
    failover.cause = CAUSE_RESIGNED; /* nothing had to be detected */
    assert_true(failover_sample_of(&failover, &sample));
    expect(sample.length, 1, 1);
    failover.cause = CAUSE_EXPIRED;
    failover.vacancy = (struct span){0, 0}; /* at least nothing, and no upper bound */
    assert_false(failover_sample_of(&failover, &sample));
    failover.vacancy = SPAN_UNKNOWN;
    assert_false(failover_sample_of(&failover, &sample));
    failover.total = (struct span){8, 12};
    assert_true(failover_sample_of(&failover, &sample));
    failover.gap_us = 1;
    assert_false(failover_sample_of(&failover, &sample));
}

static void expect_lost_after(struct failover failover, int64_t mono_us)
{
    struct moment after = failover_lost_after(&failover);
    assert_int_equal(after.mono_us, mono_us);
    assert_int_equal(after.wall_us, mono_us + 9000);
}

/* A gap ends when it was found who leads, or that nobody does: a loss before it was seen. */
TEST(a_gap_after_the_loss_hides_no_loss)
{
    static char logged[] = "transaction 0x10000004e: the servers expired its session", seen[] = "it was seen";
    struct failover failover = {.lost_at = {500, 9500}, .evidence = seen};
    expect_lost_after(failover, 500);
    failover.gap_us = 200;
    expect_lost_after(failover, 300);
    failover.elected_at = (struct moment){600, 9600};
    expect_lost_after(failover, 400);
    failover.elected_at = (struct moment){800, 9800};
    expect_lost_after(failover, 500);
    failover.elected_at = (struct moment){0};
    failover.evidence = logged;
    expect_lost_after(failover, 500);
}

/* By the time that was watched; a few seconds say nothing of an hour. */
TEST(counts_changes_by_the_hour)
{
    assert_true(failover_rate(3, INT64_C(1800000000)) == 6.0);
    assert_true(failover_rate(0, INT64_C(1800000000)) == 0.0);
    assert_true(failover_rate(3, INT64_C(59000000)) < 0);
}
