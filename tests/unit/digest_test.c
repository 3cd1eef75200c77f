/* Proves that percentiles from digests are those of all failovers, to the last microsecond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "probe/history/digest.h"

#define MOST 3000

/* From nothing to years, most of them some seconds; some of them open above. */
static struct failover_sample any_sample(void)
{
    int64_t low_us =
        rand() % 8 == 0 ? rand() % 200 : (int64_t)(rand() % 9000000) << (rand() % 12 == 0 ? 25 : 0);
    int64_t high_us = low_us + rand() % 3 * (rand() % 4000000);
    return (struct failover_sample){rand() % 3 ? CAUSE_EXPIRED : (enum failover_cause)(rand() % CAUSE_COUNT),
                                    {low_us, rand() % 20 == 0 ? SPAN_OPEN : high_us}};
}

/* All of them at once, and packed in parts of any size. */
static void expect_same(const struct failover_sample *samples, size_t count)
{
    struct failover_stats whole, parts;
    struct digest_sum sum = {0};
    failover_stats_make(samples, count, &whole);
    for (size_t from = 0, to; from < count; from = to) {
        struct buffer digest = {0};
        to = from + 1 + (size_t)rand() % (count - from);
        digest_pack(samples + from, to - from, &digest);
        digest_sum_add(&sum, digest.bytes, digest.length);
        buffer_free(&digest);
    }
    assert_true(digest_sum_stats(&sum, &parts));
    assert_memory_equal(&whole, &parts, sizeof whole);
    digest_sum_free(&sum);
}

static void finds_what_going_through_all_finds(void **state)
{
    (void)state;
    static struct failover_sample samples[MOST];
    srand(3);
    for (int round = 0; round < 300; round++) {
        size_t count = round < 30 ? (size_t)round : (size_t)rand() % MOST;
        for (size_t i = 0; i < count; i++)
            samples[i] = any_sample();
        expect_same(samples, count);
    }
}

/* The ends of what a length can be. */
static void takes_any_length(void **state)
{
    (void)state;
    const int64_t ends[] = {0, 63, 64, 127, 128, INT64_MAX - 1, INT64_MAX};
    struct failover_sample samples[sizeof ends / sizeof ends[0]];
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        samples[i] = (struct failover_sample){CAUSE_CLOSED, {ends[i], SPAN_OPEN}};
    expect_same(samples, sizeof ends / sizeof ends[0]);
    for (size_t i = 0; i + 1 < sizeof ends / sizeof ends[0]; i++)
        samples[i].length.high_us = ends[i];
    expect_same(samples, sizeof ends / sizeof ends[0] - 1);
}

/* A stranger's file may hold anything: it is read as a digest or refused, and never more than that. */
static void survives_damage(void **state)
{
    (void)state;
    struct failover_sample samples[200];
    struct buffer digest = {0};
    srand(5);
    for (size_t i = 0; i < 200; i++)
        samples[i] = any_sample();
    digest_pack(samples, 200, &digest);
    size_t refused = 0;
    for (int round = 0; round < 2000; round++) {
        char bytes[8192];
        struct digest_sum sum = {0};
        struct failover_stats stats;
        assert_true(digest.length < sizeof bytes);
        memcpy(bytes, digest.bytes, digest.length);
        for (int i = rand() % 4; i >= 0; i--)
            bytes[(size_t)rand() % digest.length] = (char)rand();
        size_t length = rand() % 2 ? digest.length : (size_t)rand() % digest.length;
        digest_sum_add(&sum, bytes, length);
        refused += !digest_sum_stats(&sum, &stats);
        digest_sum_free(&sum);
    }
    assert_true(refused > 500);
    buffer_free(&digest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_going_through_all_finds),
        cmocka_unit_test(takes_any_length),
        cmocka_unit_test(survives_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
