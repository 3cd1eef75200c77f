/* What may be asked of a server: a hundredth of its time, and what was left of that before. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/source/budget.h"

#define START 5000

/* Before the first round nothing was asked for long: another may follow; but an expensive one is paid for. */
static void the_first_round_is_paid_for(void **state)
{
    (void)state;
    struct budget cheap = {0}, dear = {0};
    budget_spend(&cheap, 50000, START);
    assert_int_equal(budget_pause_ms(&cheap), 5000);
    assert_int_equal(budget_due_ms(&cheap), START);
    budget_spend(&dear, 1000000, START);
    assert_true(budget_due_ms(&dear) >= START + 100000);
}

/* Rounds out of turn end when what was left is spent; the next one is as far off as what it will cost. */
static void what_is_left_is_spent_once(void **state)
{
    (void)state;
    struct budget a = {0};
    uint64_t now_ms = START;
    unsigned at_once = 0;
    budget_spend(&a, 50000, now_ms);
    while (budget_due_ms(&a) <= now_ms) {
        budget_spend(&a, 50000, now_ms);
        at_once++;
    }
    assert_int_equal(at_once, 3);
    assert_int_equal(budget_due_ms(&a), START + 5000);
}

/* However long nobody asked, no more than the most is kept;
   and a program that slept for days overflows not. */
static void no_more_is_kept_than_the_most(void **state)
{
    (void)state;
    struct budget a = {0};
    uint64_t now_ms = START;
    budget_spend(&a, 190000, now_ms);
    now_ms += UINT64_C(40) * 86400 * 1000;
    budget_spend(&a, 60000, now_ms);
    assert_int_equal(a.left_us, BUDGET_MOST_US - 60000);
}

/* Asked as soon as it may be, whatever rounds cost, a server gives a hundredth of its time and the most that
   is kept; a round that turns out dearer than the one before is paid for after it. */
static void over_any_stretch_it_is_a_hundredth(void **state)
{
    (void)state;
    static const int64_t costs_us[] = {1000, 150000, 3000, 40000, 700000, 0, 20000};
    struct budget a = {0};
    uint64_t now_ms = START;
    int64_t spent_us = 0;
    for (unsigned i = 0; i < 10000; i++) {
        int64_t cost_us = costs_us[i * 2654435761u % 7];
        uint64_t due_ms = budget_due_ms(&a);
        now_ms = due_ms > now_ms ? due_ms : now_ms;
        int64_t given_us = (int64_t)(now_ms - START) * 1000 / BUDGET_PAUSE;
        assert_true(spent_us <= given_us + BUDGET_MOST_US);
        budget_spend(&a, cost_us, now_ms);
        spent_us += cost_us;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_round_is_paid_for),
        cmocka_unit_test(what_is_left_is_spent_once),
        cmocka_unit_test(no_more_is_kept_than_the_most),
        cmocka_unit_test(over_any_stretch_it_is_a_hundredth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
