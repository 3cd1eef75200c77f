/* Proves that what a window of time has too much of is said to be, and counted all the same; and what it
   counts as one tenure. */
#include <stdio.h>

#include "probe/election/vacancy.h"
#include "tests/support/recorded.h"
#include "tests/support/test.h"
#include "tui/views/leadership_history.h"

#define TEXT_OF(number) #number
#define NUMBER(number) TEXT_OF(number)
#define EACH                                                                                                 \
    "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n <= " NUMBER(                    \
        LEADERSHIP_HISTORY_MOST) ")"                                                                         \
                                 " "

static struct recorded *quiet(void)
{
    struct recorded *world = recorded_begin();
    recorded_changes(world, 1);
    recorded_stop(world);
    recorded_change(world, "DELETE FROM failover");
    return world;
}

static void read_all(const struct recorded *world, struct leadership_history *leadership)
{
    struct history *history = recorded_open(world);
    int64_t from_us = 0, to_us = 0;
    char *error;
    assert_true(history_bounds(history, &from_us, &to_us, NULL));
    assert_true(leadership_history_read(leadership, history, "prod", "/election", from_us, to_us, &error));
    history_close(history);
}

/* The figures are of all failovers, also of those that are not listed. */
TEST(counts_more_failovers_than_it_lists)
{
    struct recorded *world = quiet();
    struct leadership_history leadership;
    recorded_change(world, EACH "INSERT INTO failover (election, lost_us, event, cause, certainty,"
                                " vacancy_low_us, vacancy_high_us) SELECT 1, (SELECT from_us FROM stretch),"
                                " 1000 + n, 'unknown', 'certain', n, n FROM n");
    read_all(world, &leadership);
    assert_true(leadership.cut);
    assert_int_equal(leadership.failover_count, LEADERSHIP_HISTORY_MOST);
    assert_int_equal(leadership.stats.all.count, LEADERSHIP_HISTORY_MOST + 1);
    assert_int_equal(leadership.stats.all.max.low_us, LEADERSHIP_HISTORY_MOST + 1);
    assert_int_equal(leadership.leader_count, 2);
    leadership_history_clear(&leadership);
    recorded_free(world);
}

/* Too many leaders leave the failovers as they are. */
TEST(lists_failovers_of_more_leaders_than_it_draws)
{
    struct recorded *world = quiet();
    struct leadership_history leadership;
    recorded_change(world,
                    "DELETE FROM tenure; INSERT INTO failover (election, lost_us, event, cause, certainty,"
                    " vacancy_low_us, vacancy_high_us) SELECT 1, from_us, 1000, 'unknown', 'certain', 7, 7"
                    " FROM stretch");
    recorded_change(world, EACH "INSERT INTO name (id, text) SELECT 1000 + n, 'n_' || n FROM n");
    recorded_change(
        world,
        EACH "INSERT INTO tenure (election, id, stretch, kind, candidate, from_us, from_exact, to_us)"
             " SELECT 1, n, 1, 'led', 1000 + n, s.from_us + n, 1, s.from_us + n + 1 FROM n, stretch s");
    read_all(world, &leadership);
    assert_true(leadership.cut);
    assert_int_equal(leadership.leader_count, LEADERSHIP_HISTORY_MOST);
    assert_int_equal(leadership.failover_count, 1);
    assert_int_equal(leadership.stats.all.count, 1);
    assert_int_equal(leadership_history_lane(&leadership, NULL, "n_7") < LANE_UNKNOWN, 1);
    leadership_history_clear(&leadership);
    recorded_free(world);
}

/* A leader that still leads after a time that nobody watched has one tenure, and the gap stays in it. */
TEST(a_tenure_goes_on_through_a_gap)
{
    struct recorded *world = recorded_begin();
    struct leadership_history leadership;
    recorded_changes(world, 1);
    recorded_pass(world, 60000);
    struct observation lost = {.kind = OBSERVED_CONNECTION, .at = world->now};
    lost.connection.state = CONNECTION_CONNECTING;
    model_observe(world->model, &lost);
    recorded_pass(world, 60000);
    recorded_connect(world);
    recorded_pass(world, 60000);
    recorded_stop(world);
    read_all(world, &leadership);
    /* Whoever led first did so before, and the other leads on. */
    assert_int_equal(leadership.tenure_count, 0);
    assert_true(leadership.tenure_max_us >= INT64_C(180000000) && !leadership.tenure_max_whole);
    size_t gaps = 0;
    for (size_t i = 0; i < leadership.stretch_count; i++)
        gaps += leadership.stretches[i].lane == LANE_UNKNOWN &&
                leadership.stretches[i].to_us - leadership.stretches[i].from_us >= INT64_C(60000000);
    assert_int_equal(gaps, 1);
    leadership_history_clear(&leadership);
    recorded_free(world);
}

static void all_leave(struct recorded *world)
{
    for (int64_t i = world->first; i <= world->last; i++) {
        char path[64];
        snprintf(path, sizeof path, "/election/n_%010d", (int)i);
        fake_tree_delete(world->tree, path);
    }
    fake_tree_list(world->tree, world->model, world->now, "/election", "/election");
}

/* In a time that nobody watched somebody may have led: a vacancy does not grow through it, on no screen. */
TEST(a_vacancy_ends_at_a_gap)
{
    struct recorded *world = recorded_begin();
    struct leadership_history leadership;
    struct failover lost;
    recorded_changes(world, 1);
    recorded_pass(world, 60000);
    all_leave(world);
    recorded_pass(world, 10000);
    struct election *election = (struct election *)model_election(world->model, 0, "/election");
    assert_true(vacancy_lost(election, world->now, &lost));
    assert_in_range(lost.vacancy.low_us, INT64_C(9000000), INT64_C(11000000));
    struct observation gone = {.kind = OBSERVED_CONNECTION, .at = world->now};
    gone.connection.state = CONNECTION_CONNECTING;
    model_observe(world->model, &gone);
    recorded_pass(world, 60000);
    fake_tree_create(world->tree, "/election/n_0000000099", 99, "");
    fake_tree_delete(world->tree, "/election/n_0000000099");
    recorded_connect(world);
    recorded_pass(world, 90000);
    assert_true(vacancy_lost(election, world->now, &lost));
    assert_true(lost.vacancy.low_us < INT64_C(11000000));
    recorded_stop(world);
    read_all(world, &leadership);
    const struct failover *last = &leadership.failovers[leadership.failover_count - 1];
    assert_null(last->to);
    assert_true(leadership.gaps);
    assert_true(last->vacancy.low_us < INT64_C(11000000));
    leadership_history_prefer(&leadership, election);
    assert_true(last->vacancy.low_us < INT64_C(11000000));
    leadership_history_clear(&leadership);
    recorded_free(world);
}

/* Where nobody leads since, the vacancy is as long as that has lasted, and not as when it was told. What this run saw
 * itself takes the place of what was recorded, and nothing else. */
TEST(a_vacancy_goes_on)
{
    struct recorded *world = recorded_begin();
    struct leadership_history leadership;
    recorded_changes(world, 1);
    recorded_pass(world, 60000);
    all_leave(world);
    recorded_pass(world, 90000);
    recorded_stop(world);
    read_all(world, &leadership);
    const struct failover *last = &leadership.failovers[leadership.failover_count - 1];
    assert_null(last->to);
    assert_in_range(last->vacancy.low_us, INT64_C(85000000), INT64_C(90000000));
    assert_in_range(leadership.vacant_us, INT64_C(85000000), INT64_C(92000000));
    assert_false(leadership.gaps);
    struct election *election = (struct election *)model_election(world->model, 0, "/election");
    int64_t seen_us = election_failover_at(election, 0)->vacancy.low_us;
    election->failovers[0].detection = (struct span){1, 2};
    leadership_history_prefer(&leadership, election);
    assert_int_equal(leadership.failovers[0].detection.high_us, 2);
    assert_int_equal(leadership.failovers[0].vacancy.low_us, seen_us);
    assert_in_range(last->vacancy.low_us, INT64_C(85000000), INT64_C(90000000));
    /* ... but where the clock was set since, no difference of its times is how long that lasted. */
    leadership.clock = (struct history_clock){last->lost_at.wall_us + 1, last->lost_at.wall_us + 2};
    leadership.failovers[leadership.failover_count - 1].vacancy.low_us = 1;
    leadership_history_prefer(&leadership, &(struct election){0});
    assert_true(last->vacancy.low_us < INT64_C(85000000));
    election->failovers[0].lost_at.wall_us += INT64_C(60000000);
    election->failovers[0].detection = SPAN_UNKNOWN;
    leadership_history_prefer(&leadership, election);
    assert_int_equal(leadership.failovers[0].detection.high_us, 2);
    leadership_history_clear(&leadership);
    recorded_free(world);
}

/* That the clock was set while the window was recorded says why its times go back. */
TEST(knows_that_the_clock_was_set)
{
    struct recorded *world = recorded_begin();
    struct leadership_history leadership;
    recorded_changes(world, 2);
    int64_t before_us = world->now.wall_us;
    world->now.wall_us -= 600000000;
    recorded_pass(world, 1000);
    recorded_changes(world, 2);
    recorded_stop(world);
    read_all(world, &leadership);
    assert_int_equal(leadership.clock.before_us, before_us);
    assert_true(leadership.clock.after_us < before_us - 590000000);
    leadership_history_clear(&leadership);
    recorded_free(world);
    world = quiet();
    read_all(world, &leadership);
    assert_int_equal(leadership.clock.before_us, 0);
    leadership_history_clear(&leadership);
    recorded_free(world);
}

/* A recording may end with a failover. */
TEST(has_a_failover_at_the_end)
{
    struct recorded *world = recorded_begin();
    struct leadership_history leadership;
    recorded_changes(world, 1);
    recorded_stop(world);
    recorded_change(world, "UPDATE failover SET lost_us = (SELECT max(to_us) FROM stretch)");
    read_all(world, &leadership);
    assert_int_equal(leadership.failover_count, 1);
    assert_int_equal(leadership.failovers[0].lost_at.wall_us, leadership.to_us);
    leadership_history_clear(&leadership);
    recorded_free(world);
}
