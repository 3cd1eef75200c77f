#include "probe/watch/poll_budget.h"

/* Measured: 134 ms for 10,000 connections, 35 ms for 10,000 watches, 48 ms for 10,000 sessions with a znode
   each, 18 ms for the figures of a server that has them. */
static const int64_t usual_each_ns[POLL_ANSWERS] = {
    [POLL_CONNECTIONS] = 14000, [POLL_WATCHES] = 4000, [POLL_SESSIONS] = 5000};
/* Whatever the length. */
static const int64_t usual_least_us[POLL_ANSWERS] = {
    [POLL_CONNECTIONS] = 1000, [POLL_WATCHES] = 1000, [POLL_SESSIONS] = 1000, [POLL_FIGURES] = 3000};
/* What is learned stays within this many times the usual, and so many parts of it: one odd round means
 * little. */
#define LEARNED_TIMES 4
/* Shorter answers say nothing of the cost of an entry. */
#define LEARNED_FROM ((size_t)100)

int64_t poll_cost_us(const struct poll_costs *costs, enum poll_answer answer, size_t entries)
{
    int64_t each_ns = costs->each_ns[answer] ? costs->each_ns[answer] : usual_each_ns[answer];
    return usual_least_us[answer] + (int64_t)entries * each_ns / 1000;
}

static void poll_cost_learn(struct poll_costs *costs, enum poll_answer answer, size_t entries,
                            int64_t took_us)
{
    int64_t usual_ns = usual_each_ns[answer], was_ns = costs->each_ns[answer];
    int64_t over_us = took_us > usual_least_us[answer] ? took_us - usual_least_us[answer] : 0;
    int64_t each_ns = over_us * 1000 / (int64_t)entries;
    if (each_ns > usual_ns * LEARNED_TIMES)
        each_ns = usual_ns * LEARNED_TIMES;
    if (each_ns < usual_ns / LEARNED_TIMES)
        each_ns = usual_ns / LEARNED_TIMES;
    costs->each_ns[answer] = ((was_ns ? was_ns : usual_ns) * 3 + each_ns) / 4;
}

int64_t poll_cost_of(struct poll_costs *costs, enum poll_answer answer, size_t entries, int64_t took_us,
                     bool calm)
{
    if (calm && usual_each_ns[answer] && entries >= LEARNED_FROM)
        poll_cost_learn(costs, answer, entries, took_us);
    int64_t cost_us = poll_cost_us(costs, answer, entries);
    return took_us < cost_us ? took_us : cost_us;
}

static int64_t at_most(int64_t value_us)
{
    return value_us < POLL_BUDGET_MOST_US ? value_us : POLL_BUDGET_MOST_US;
}

void poll_budget_spend(struct poll_budget *a, int64_t took_us, uint64_t now_ms)
{
    /* There was no poll before the first round: that was a pause, too. */
    int64_t left_us = POLL_BUDGET_MOST_US;
    if (a->as_of_ms != 0)
        left_us = at_most(a->left_us + (int64_t)(now_ms - a->as_of_ms) * 1000 / POLL_BUDGET_PAUSE);
    *a = (struct poll_budget){.left_us = left_us - took_us, .latest_us = took_us, .as_of_ms = now_ms};
}

int64_t poll_budget_pause_ms(const struct poll_budget *a)
{
    return a->latest_us * POLL_BUDGET_PAUSE / 1000;
}

uint64_t poll_budget_due_ms(const struct poll_budget *a)
{
    int64_t lacking_us = at_most(a->latest_us) - a->left_us;
    return a->as_of_ms + (uint64_t)(lacking_us > 0 ? lacking_us * POLL_BUDGET_PAUSE / 1000 : 0);
}
