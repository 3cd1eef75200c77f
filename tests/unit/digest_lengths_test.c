/* Proves that a recording's percentiles are those of its failovers, whatever of them is digested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "tests/support/recorded.h"

#define HOUR_MS (INT64_C(3600) * 1000)
#define HOUR_US (HOUR_MS * 1000)
#define MOST 1000

struct taken {
    struct failover_sample samples[MOST];
    size_t count;
};

static bool take(void *context, const struct election *election, const struct failover *failover)
{
    struct taken *taken = context;
    (void)election;
    assert_true(taken->count < MOST);
    taken->count += failover_sample_of(failover, &taken->samples[taken->count]);
    return true;
}

/* Held against all failovers of that time, one by one. */
static size_t expect_statistics(const struct recorded *world, int64_t from_us, int64_t to_us)
{
    static struct taken taken;
    struct history *history = recorded_open(world);
    const struct history_filter one = {.cluster = "prod", .election = "/election"}, other = {.cluster = "x"};
    struct failover_stats reported, wanted;
    char *error;
    taken.count = 0;
    assert_true(history_failovers(history, NULL, from_us, to_us, take, &taken, &error));
    failover_stats_make(taken.samples, taken.count, &wanted);
    assert_true(history_statistics(history, NULL, from_us, to_us, &reported, &error));
    assert_memory_equal(&reported, &wanted, sizeof reported);
    assert_true(history_statistics(history, &one, from_us, to_us, &reported, &error));
    assert_memory_equal(&reported, &wanted, sizeof reported);
    assert_true(history_statistics(history, &other, from_us, to_us, &reported, &error));
    assert_int_equal(reported.all.count, 0);
    history_close(history);
    return taken.count;
}

/* Whoever records digests the hours that are over, without being asked to. */
static void wait_for_digests(const struct recorded *world, int64_t wanted)
{
    for (int i = 0; i < 200 && recorded_ask(world, "SELECT count(*) FROM digest") < wanted; i++)
        uv_sleep(50);
    assert_true(recorded_ask(world, "SELECT count(*) FROM digest") >= wanted);
}

/* As the servers' lists would have shown it. */
static void show_lengths(const struct recorded *world)
{
    recorded_change(world,
                    "UPDATE failover SET cause = CASE event % 3 WHEN 0 THEN 'closed' ELSE 'expired' END,"
                    " detection_low_us = 1000000 + event * 7919 % 4000000,"
                    " detection_high_us = nullif(1000000 + event * 7919 % 4000000 + event * 104729 % 900000,"
                    " 1000000) WHERE detection_low_us IS NULL");
}

static struct recorded *some_hours(int hours)
{
    struct recorded *world = recorded_new();
    recorded_start(world, KEEP_LONG_MS);
    recorded_connect(world);
    for (int hour = 0; hour < hours; hour++) {
        recorded_changes(world, 7 + hour);
        recorded_pass(world, hour == 2 ? 2 * HOUR_MS : HOUR_MS); /* one in which nothing happens */
    }
    recorded_stop(world);
    show_lengths(world);
    recorded_change(world, "DELETE FROM digest"); /* those of before */
    return world;
}

/* Any window: whole hours come from digests, their rest and what has none from the failovers. */
static void digests_report_the_same(void **state)
{
    (void)state;
    struct recorded *world = some_hours(6);
    int64_t from_us = world->times[0], to_us = world->now.wall_us;
    size_t all = expect_statistics(world, from_us, to_us);
    assert_true(all > 40);

    recorded_start(world, KEEP_LONG_MS);
    recorded_changes(world, 3);
    wait_for_digests(world, 6);
    recorded_stop(world);
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM digest WHERE (hour + 1) * 3600000000 >"
                                         " (SELECT max(to_us) FROM stretch)"),
                     0); /* none of an hour that is not over */
    srand(11);
    for (int i = 0; i < 40; i++) {
        int64_t begin_us = from_us + rand() % 7 * (HOUR_US / 2),
                end_us = begin_us + rand() % 6 * (HOUR_US / 2);
        expect_statistics(world, begin_us / HOUR_US * HOUR_US + rand() % 2 * 1234567, end_us);
    }
    assert_int_equal(expect_statistics(world, 0, INT64_MAX), all);
    assert_int_equal(expect_statistics(world, INT64_MIN, INT64_MAX), all);

    /* With holes among them. */
    recorded_change(world, "DELETE FROM digest WHERE hour % 2 = 0");
    assert_int_equal(expect_statistics(world, 0, INT64_MAX), all);
    /* They are what is read where they are. */
    recorded_change(world, "UPDATE digest SET lengths = x''");
    struct history *history = recorded_open(world);
    struct failover_stats reported;
    char *error;
    assert_true(history_statistics(history, NULL, 0, INT64_MAX, &reported, &error));
    assert_true(reported.all.count < all);
    recorded_change(world, "UPDATE digest SET lengths = x'ff00ff'");
    assert_false(history_statistics(history, NULL, 0, INT64_MAX, &reported, &error));
    assert_non_null(strstr(error, "damaged"));
    free(error);
    history_close(history);
    recorded_free(world);
}

/* What is told late, and what is forgotten, takes the digest of its hour along. */
static void what_changes_is_digested_anew(void **state)
{
    (void)state;
    struct recorded *world = some_hours(4);
    recorded_start(world, KEEP_LONG_MS);
    recorded_changes(world, 1);
    wait_for_digests(world, 4);
    recorded_stop(world);
    int64_t digests = recorded_ask(world, "SELECT count(*) FROM digest");
    recorded_change(
        world, "INSERT INTO failover (election, lost_us, event, cause, certainty, vacancy_low_us,"
               " vacancy_high_us, detection_low_us, detection_high_us) SELECT election, lost_us + 1, 1000000,"
               " 'closed', 'certain', 0, 0, 77, 78 FROM failover ORDER BY lost_us LIMIT 1");
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM digest"), digests - 1);
    expect_statistics(world, 0, INT64_MAX);
    recorded_start(world, KEEP_LONG_MS);
    recorded_changes(world, 1);
    wait_for_digests(world, digests);
    recorded_stop(world);
    size_t all = expect_statistics(world, 0, INT64_MAX);
    recorded_change(world, "DELETE FROM failover WHERE event = 1000000");
    assert_int_equal(recorded_ask(world, "SELECT count(*) FROM digest"), digests - 1);
    assert_int_equal(expect_statistics(world, 0, INT64_MAX), all - 1);
    recorded_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_report_the_same),
        cmocka_unit_test(what_changes_is_digested_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
