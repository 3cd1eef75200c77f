/* When somebody of a crowd dies and returns: what the ensemble takes is not caught up with, our own delay is.
 */

#include "probe/inject/kill_schedule.h"
#include "tests/support/test.h"

#define SECOND 1000000u

/* The first is due one interval after all stood; one of whom we are late ourselves was due when it was due.
 */
TEST(counts_our_own_delay)
{
    struct kill_schedule s = {.every_us = 2 * SECOND};
    assert_false(kill_schedule_is_due(&s, 0, 100 * SECOND));
    assert_false(kill_schedule_is_due(&s, 10 * SECOND, 12 * SECOND - 1));
    assert_true(kill_schedule_is_due(&s, 10 * SECOND, 13 * SECOND));
    uint64_t due_us = kill_schedule_take(&s, OBSTACLES, 13 * SECOND);
    assert_int_equal(due_us, 12 * SECOND);
    kill_schedule_died(&s, 0, KILL_CLOSE, due_us, 13 * SECOND);
    assert_true(kill_schedule_is_due(&s, 10 * SECOND, 14 * SECOND));
    assert_int_equal(s.return_count, 0); /* for good */
    kill_schedule_free(&s);
}

/* Where nobody was there to die, and where the one before took longer, the next is due when it can be. */
TEST(does_not_catch_up_with_the_ensemble)
{
    struct kill_schedule s = {.every_us = 2 * SECOND};
    assert_true(kill_schedule_is_due(&s, 10 * SECOND, 12 * SECOND));
    kill_schedule_take(&s, OBSTACLE_NOBODY, 12 * SECOND);
    assert_true(kill_schedule_is_due(&s, 10 * SECOND, 15 * SECOND));
    uint64_t due_us = kill_schedule_take(&s, OBSTACLES, 15 * SECOND);
    assert_int_equal(due_us, 15 * SECOND);
    kill_schedule_died(&s, 0, KILL_CLOSE, due_us, 15 * SECOND);
    kill_schedule_not_before(&s, 20 * SECOND);
    assert_false(kill_schedule_is_due(&s, 10 * SECOND, 20 * SECOND - 1));
    assert_true(kill_schedule_is_due(&s, 10 * SECOND, 20 * SECOND));
    assert_int_equal(kill_schedule_take(&s, OBSTACLES, 20 * SECOND), 20 * SECOND);
    kill_schedule_free(&s);
}

/* Of a second's deaths in ten during which the failover before was not over, or nobody led, one is carried
 * out late, or is still owed at the end: the others are counted, by what was in their way, and none is lost.
 */
TEST(counts_what_is_left_out)
{
    struct kill_schedule s = {.every_us = SECOND};
    const uint64_t stood_us = 10 * SECOND;
    for (uint64_t time_us = stood_us; time_us < 30 * SECOND; time_us += SECOND / 100) {
        if (!kill_schedule_is_due(&s, stood_us, time_us))
            continue;
        bool waits = time_us >= 12 * SECOND && time_us < 15 * SECOND + SECOND / 2,
             nobody = time_us >= 20 * SECOND && time_us < 24 * SECOND + SECOND / 4;
        uint64_t due_us = kill_schedule_take(&s,
                                             waits    ? OBSTACLE_FAILOVER
                                             : nobody ? OBSTACLE_NOBODY
                                                      : OBSTACLES,
                                             time_us);
        if (waits || nobody)
            continue;
        assert_int_equal(due_us, time_us);
        kill_schedule_died(&s, 0, KILL_CLOSE, due_us, time_us);
    }
    /* Of 11 to 29 the one of 15 was carried out at 15.5, and the one of 24 at 24.25. */
    assert_int_equal(s.left_out[OBSTACLE_FAILOVER], 3);
    assert_int_equal(s.left_out[OBSTACLE_NOBODY], 4);
    assert_int_equal(s.done, 19 - 3 - 4);
    kill_schedule_end(&s);
    assert_int_equal(s.left_out[OBSTACLE_FAILOVER] + s.left_out[OBSTACLE_NOBODY], 7); /* none is owed */

    assert_false(kill_schedule_is_due(&s, stood_us, 40 * SECOND)); /* it is over */
    kill_schedule_free(&s);
    s = (struct kill_schedule){.every_us = SECOND};
    assert_true(kill_schedule_is_due(&s, stood_us, 11 * SECOND));
    kill_schedule_take(&s, OBSTACLE_NOBODY, 11 * SECOND);
    kill_schedule_take(&s, OBSTACLE_NOBODY, 12 * SECOND + 1);
    assert_int_equal(s.left_out[OBSTACLE_NOBODY], 1);
    kill_schedule_end(&s);
    assert_int_equal(s.left_out[OBSTACLE_NOBODY], 2);
    kill_schedule_free(&s);
}

/* While we ourselves stood still several fell due: the first is as late as it is, and none is lost. */
TEST(counts_what_we_were_late_for)
{
    struct kill_schedule s = {.every_us = SECOND};
    assert_true(kill_schedule_is_due(&s, 10 * SECOND, 14 * SECOND + SECOND / 2));
    uint64_t due_us = kill_schedule_take(&s, OBSTACLES, 14 * SECOND + SECOND / 2);
    assert_int_equal(due_us, 11 * SECOND);
    kill_schedule_died(&s, 0, KILL_CLOSE, due_us, 14 * SECOND + SECOND / 2);
    assert_true(kill_schedule_is_due(&s, 10 * SECOND, 14 * SECOND + SECOND / 2));
    kill_schedule_take(&s, OBSTACLE_FAILOVER, 14 * SECOND + SECOND / 2);
    assert_int_equal(s.left_out[OBSTACLE_FAILOVER], 2); /* of 12, 13 and 14 the last is still owed */
    kill_schedule_free(&s);
}

/* While it is held nobody dies, and what was due meanwhile is not made up for. */
TEST(can_be_held)
{
    struct kill_schedule s = {.every_us = 2 * SECOND};
    kill_schedule_hold(&s, true);
    assert_false(kill_schedule_is_due(&s, 10 * SECOND, 50 * SECOND));
    kill_schedule_hold(&s, false);
    assert_true(kill_schedule_is_due(&s, 10 * SECOND, 60 * SECOND));
    assert_int_equal(kill_schedule_take(&s, OBSTACLES, 60 * SECOND), 60 * SECOND);
    assert_int_equal(s.left_out[OBSTACLE_FAILOVER] + s.left_out[OBSTACLE_NOBODY], 0);
    kill_schedule_free(&s);
}

/* Everybody who is not gone for good returns, once, when the time has come, and as they went. */
TEST(brings_everybody_back)
{
    struct kill_schedule s = {.every_us = 1, .away_us = SECOND};
    size_t i, returned = 0;
    enum kill_mode how;
    for (size_t k = 0; k < 100; k++)
        kill_schedule_died(&s, k, k % 2 ? KILL_PAUSE : KILL_DROP, k, k * SECOND / 10);
    assert_false(kill_schedule_returns(&s, SECOND - 1, &i, &how));
    bool seen[100] = {false};
    for (uint64_t time_us = 0; time_us <= 11 * SECOND; time_us += SECOND / 10)
        while (kill_schedule_returns(&s, time_us, &i, &how)) {
            assert_true(i < 100 && !seen[i]);
            assert_int_equal(time_us, i * SECOND / 10 + SECOND);
            assert_int_equal(how, i % 2 ? KILL_PAUSE : KILL_DROP);
            seen[i] = true;
            returned++;
        }
    assert_int_equal(returned, 100);
    kill_schedule_free(&s);
}
