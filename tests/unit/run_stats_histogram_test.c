/* Buckets without gaps, and percentiles that are never far from the sorted samples. */

#include <stdlib.h>

#include "probe/inject/run_stats.h"
#include "tests/support/test.h"

/* Each bucket begins where the one before it ends, and is at most 1.6 % wide. */
TEST(buckets_join)
{
    int64_t next = 0;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        int64_t low, high;
        histogram_bucket(i, &low, &high);
        assert_int_equal(low, next);
        assert_true(high >= low && (high - low) * 64 <= low);
        next = high + 1;
    }
    assert_int_equal(next, INT64_C(1) << 40);
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Of samples of all sizes: the percentile is that of the sorted samples, or up to 1.6 % above it. */
TEST(percentiles_are_close)
{
    enum { SAMPLES = 5000 };
    static int64_t samples[SAMPLES];
    static struct histogram all, half;
    srand(3);
    for (int i = 0; i < SAMPLES; i++) {
        samples[i] = (int64_t)rand() >> (rand() % 24);
        histogram_add(i % 2 ? &all : &half, samples[i]);
    }
    histogram_merge(&all, &half);
    qsort(samples, SAMPLES, sizeof *samples, by_value);
    assert_int_equal(all.count, SAMPLES);
    assert_int_equal(all.least_us, samples[0]);
    assert_int_equal(all.most_us, samples[SAMPLES - 1]);
    static const double parts[] = {0.5, 0.9, 0.99, 0.999, 1};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        int64_t exact = samples[(int)(parts[i] * SAMPLES + 0.5) - 1],
                reported = histogram_percentile(&all, parts[i]);
        assert_true(reported >= exact && (reported - exact) * 64 <= exact);
    }
}

/* Nothing, one, less than nothing, and more than there are buckets for. */
TEST(ends)
{
    static struct histogram h;
    assert_int_equal(histogram_percentile(&h, 0.99), 0);
    histogram_add(&h, -5);
    assert_int_equal(histogram_percentile(&h, 0.5), 0);
    histogram_add(&h, INT64_MAX / 4);
    assert_int_equal(h.most_us, INT64_MAX / 4);
    assert_true(histogram_percentile(&h, 1) > 0);
}
