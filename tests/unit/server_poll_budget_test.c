/* What may be asked of a server: a hundredth of its time, and what was left of that before. */

#include "probe/watch/server_poll.h"
#include "tests/support/test.h"

#define START 5000

/* Before the first round nothing was asked for long: another may follow; but an expensive one is paid for. */
TEST(the_first_round_is_paid_for)
{
    struct poll_budget cheap = {0}, dear = {0};
    poll_budget_spend(&cheap, 50000, START);
    assert_int_equal(poll_budget_pause_ms(&cheap), 5000);
    assert_int_equal(poll_budget_due_ms(&cheap), START);
    poll_budget_spend(&dear, 1000000, START);
    assert_true(poll_budget_due_ms(&dear) >= START + 100000);
}

/* Rounds out of turn end when what was left is spent; the next one is as far off as what it will cost. */
TEST(what_is_left_is_spent_once)
{
    struct poll_budget a = {0};
    uint64_t now_ms = START;
    unsigned at_once = 0;
    poll_budget_spend(&a, 50000, now_ms);
    while (poll_budget_due_ms(&a) <= now_ms) {
        poll_budget_spend(&a, 50000, now_ms);
        at_once++;
    }
    assert_int_equal(at_once, 3);
    assert_int_equal(poll_budget_due_ms(&a), START + 5000);
}

/* Looks that something waits for take the first half without a pause; the other is kept. */
TEST(half_is_kept)
{
    struct poll_budget a = {0};
    unsigned at_once = 0;
    for (poll_budget_spend(&a, 20000, START); poll_budget_has_plenty(&a); at_once++)
        poll_budget_spend(&a, 20000, START);
    assert_int_equal(at_once, 4);
    assert_true(a.left_us >= POLL_BUDGET_MOST_US / 2);
    poll_budget_spend(&a, 0, START + 20000 * POLL_BUDGET_PAUSE / 1000);
    assert_true(poll_budget_has_plenty(&a));
}

/* However long nobody asked, no more than the most is kept;
   and a program that slept for days overflows not. */
TEST(no_more_is_kept_than_the_most)
{
    struct poll_budget a = {0};
    uint64_t now_ms = START;
    poll_budget_spend(&a, 190000, now_ms);
    now_ms += UINT64_C(40) * 86400 * 1000;
    poll_budget_spend(&a, 60000, now_ms);
    assert_int_equal(a.left_us, POLL_BUDGET_MOST_US - 60000);
}

/* Asked as soon as it may be, whatever rounds cost, a server gives a hundredth of its time and the most that
   is kept; a round that turns out dearer than the one before is paid for after it. */
TEST(over_any_stretch_it_is_a_hundredth)
{
    static const int64_t costs_us[] = {1000, 150000, 3000, 40000, 700000, 0, 20000};
    struct poll_budget a = {0};
    uint64_t now_ms = START;
    int64_t spent_us = 0;
    for (unsigned i = 0; i < 10000; i++) {
        int64_t cost_us = costs_us[i * 2654435761u % 7];
        uint64_t due_ms = poll_budget_due_ms(&a);
        now_ms = due_ms > now_ms ? due_ms : now_ms;
        int64_t given_us = (int64_t)(now_ms - START) * 1000 / POLL_BUDGET_PAUSE;
        assert_true(spent_us <= given_us + POLL_BUDGET_MOST_US);
        poll_budget_spend(&a, cost_us, now_ms);
        spent_us += cost_us;
    }
}

/* A starved server's seconds are not its cost; an answer that came sooner than usual cost no more than it
 * took. */
TEST(a_late_answer_costs_what_its_length_does)
{
    struct poll_costs costs = {{0}};
    assert_int_equal(poll_cost_of(&costs, POLL_CONNECTIONS, 100, 4000000, false), 1000 + 1400);
    assert_int_equal(poll_cost_of(&costs, POLL_CONNECTIONS, 10000, 4000000, false), 1000 + 140000);
    assert_int_equal(poll_cost_of(&costs, POLL_CONNECTIONS, 10000, 70000, false), 70000);
    assert_int_equal(poll_cost_of(&costs, POLL_FIGURES, 0, 900000, false), 3000);
}

/* Calm rounds teach what an entry costs on this server, within bounds; others, and short answers, teach
 * nothing. */
TEST(calm_rounds_teach)
{
    struct poll_costs costs = {{0}};
    for (int i = 0; i < 50; i++)
        poll_cost_of(&costs, POLL_CONNECTIONS, 10000, 281000, true);
    assert_in_range(poll_cost_us(&costs, POLL_CONNECTIONS, 10000), 275000, 281000);
    for (int i = 0; i < 50; i++) {
        poll_cost_of(&costs, POLL_CONNECTIONS, 10000, 9000, false);
        poll_cost_of(&costs, POLL_CONNECTIONS, 10, 9000, true);
    }
    assert_in_range(poll_cost_us(&costs, POLL_CONNECTIONS, 10000), 275000, 281000);
    for (int i = 0; i < 50; i++)
        poll_cost_of(&costs, POLL_CONNECTIONS, 10000, 90000000, true);
    assert_in_range(poll_cost_us(&costs, POLL_CONNECTIONS, 10000), 500000, 561000);
    for (int i = 0; i < 50; i++)
        poll_cost_of(&costs, POLL_CONNECTIONS, 10000, 0, true);
    assert_in_range(poll_cost_us(&costs, POLL_CONNECTIONS, 10000), 36000, 40000);
}

/* A few servers are asked as usual; many take turns, as long as a list still falls between a death and its
 * expiry. */
TEST(many_servers_take_turns)
{
    assert_int_equal(poll_turn_ms(10, 1290, 4000), 1290);
    assert_int_equal(poll_turn_ms(26, 3230, 10000), 3250);
    assert_int_equal(poll_turn_ms(50, 5000, 0), 6250);
    assert_int_equal(poll_turn_ms(500, 5000, 0), 10000);
    for (int64_t timeout_ms = 2000; timeout_ms <= 60000; timeout_ms += 1000) {
        assert_true(poll_turn_ms(500, 500, timeout_ms) < timeout_ms * 2 / 3);
        assert_true(poll_turn_ms(500, 500, timeout_ms) <= 10000);
    }
    assert_int_equal(poll_turn_ms(500, 60000, 10000), 60000); /* a setting that is longer is kept */
    assert_int_equal(poll_figures_ms(10, 5000), 5000);
    assert_int_equal(poll_figures_ms(50, 5000), 18750);
}

/* A client that comes back elsewhere is soon noticed, but long lists for this alone stay within a third of the
 * budget. */
TEST(moved_clients_are_noticed_within_a_third_of_the_budget)
{
    struct poll_costs usual = {0}, dear = {.each_ns[POLL_CONNECTIONS] = 56000};
    assert_int_equal(poll_moved_ms(&usual, 0), 1500);
    assert_int_equal(poll_moved_ms(&usual, 200), 1500);
    for (size_t connections = 1000; connections <= 100000; connections *= 10) {
        assert_int_equal(poll_moved_ms(&usual, connections),
                         3 * poll_cost_us(&usual, POLL_CONNECTIONS, connections) / 10);
        assert_true(poll_moved_ms(&dear, connections) > poll_moved_ms(&usual, connections));
    }
}

TEST(watches_that_change_are_not_counted)
{
    assert_false(poll_is_disturbed(1000, 999, 7, 7));
    assert_false(poll_is_disturbed(1000, 0, -1, 7));  /* how many there were is not known */
    assert_true(poll_is_disturbed(1000, 1000, 7, 7)); /* one of ours fired, or was set */
    assert_true(poll_is_disturbed(1000, 0, 7, 8));
    assert_true(poll_is_disturbed(1000, 0, 8, 7));
}
