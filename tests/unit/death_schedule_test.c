/* When somebody of a crowd dies and returns: what the ensemble takes is not caught up with, our own delay is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/inject/death_schedule.h"

#define SECOND 1000000u

/* The first is due one interval after all stood; one of whom we are late ourselves was due when it was due.
 */
static void counts_our_own_delay(void **state)
{
    (void)state;
    struct death_schedule s = {.every_us = 2 * SECOND};
    assert_false(death_schedule_is_due(&s, 0, 100 * SECOND));
    assert_false(death_schedule_is_due(&s, 10 * SECOND, 12 * SECOND - 1));
    assert_true(death_schedule_is_due(&s, 10 * SECOND, 13 * SECOND));
    uint64_t due_us = death_schedule_take(&s, true, 13 * SECOND);
    assert_int_equal(due_us, 12 * SECOND);
    death_schedule_died(&s, 0, DEPART_CLOSE, due_us, 13 * SECOND);
    assert_true(death_schedule_is_due(&s, 10 * SECOND, 14 * SECOND));
    assert_int_equal(s.return_count, 0); /* for good */
    death_schedule_free(&s);
}

/* Where nobody was there to die, and where the one before took longer, the next is due when it can be. */
static void does_not_catch_up_with_the_ensemble(void **state)
{
    (void)state;
    struct death_schedule s = {.every_us = 2 * SECOND};
    assert_true(death_schedule_is_due(&s, 10 * SECOND, 12 * SECOND));
    death_schedule_take(&s, false, 12 * SECOND);
    assert_true(death_schedule_is_due(&s, 10 * SECOND, 15 * SECOND));
    uint64_t due_us = death_schedule_take(&s, true, 15 * SECOND);
    assert_int_equal(due_us, 15 * SECOND);
    death_schedule_died(&s, 0, DEPART_CLOSE, due_us, 15 * SECOND);
    death_schedule_not_before(&s, 20 * SECOND);
    assert_false(death_schedule_is_due(&s, 10 * SECOND, 20 * SECOND - 1));
    assert_true(death_schedule_is_due(&s, 10 * SECOND, 20 * SECOND));
    assert_int_equal(death_schedule_take(&s, true, 20 * SECOND), 20 * SECOND);
    death_schedule_free(&s);
}

/* While it is held nobody dies, and what was due meanwhile is not made up for. */
static void can_be_held(void **state)
{
    (void)state;
    struct death_schedule s = {.every_us = 2 * SECOND};
    death_schedule_hold(&s, true);
    assert_false(death_schedule_is_due(&s, 10 * SECOND, 50 * SECOND));
    death_schedule_hold(&s, false);
    assert_true(death_schedule_is_due(&s, 10 * SECOND, 60 * SECOND));
    assert_int_equal(death_schedule_take(&s, true, 60 * SECOND), 60 * SECOND);
    death_schedule_free(&s);
}

/* Everybody who is not gone for good returns, once, when the time has come, and as they went. */
static void brings_everybody_back(void **state)
{
    (void)state;
    struct death_schedule s = {.every_us = 1, .away_us = SECOND};
    size_t i, returned = 0;
    enum departure how;
    for (size_t k = 0; k < 100; k++)
        death_schedule_died(&s, k, k % 2 ? DEPART_PAUSE : DEPART_DROP, k, k * SECOND / 10);
    assert_false(death_schedule_returns(&s, SECOND - 1, &i, &how));
    bool seen[100] = {false};
    for (uint64_t time_us = 0; time_us <= 11 * SECOND; time_us += SECOND / 10)
        while (death_schedule_returns(&s, time_us, &i, &how)) {
            assert_true(i < 100 && !seen[i]);
            assert_int_equal(time_us, i * SECOND / 10 + SECOND);
            assert_int_equal(how, i % 2 ? DEPART_PAUSE : DEPART_DROP);
            seen[i] = true;
            returned++;
        }
    assert_int_equal(returned, 100);
    death_schedule_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_our_own_delay),
        cmocka_unit_test(does_not_catch_up_with_the_ensemble),
        cmocka_unit_test(can_be_held),
        cmocka_unit_test(brings_everybody_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
