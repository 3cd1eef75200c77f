#include "probe/source/budget.h"

static int64_t at_most(int64_t value_us)
{
    return value_us < BUDGET_MOST_US ? value_us : BUDGET_MOST_US;
}

void budget_spend(struct budget *a, int64_t took_us, uint64_t now_ms)
{
    /* Nobody asked before the first round: it was a pause, too. */
    int64_t left_us = BUDGET_MOST_US;
    if (a->as_of_ms != 0)
        left_us = at_most(a->left_us + (int64_t)(now_ms - a->as_of_ms) * 1000 / BUDGET_PAUSE);
    *a = (struct budget){.left_us = left_us - took_us, .latest_us = took_us, .as_of_ms = now_ms};
}

int64_t budget_pause_ms(const struct budget *a)
{
    return a->latest_us * BUDGET_PAUSE / 1000;
}

uint64_t budget_due_ms(const struct budget *a)
{
    int64_t lacking_us = at_most(a->latest_us) - a->left_us;
    return a->as_of_ms + (uint64_t)(lacking_us > 0 ? lacking_us * BUDGET_PAUSE / 1000 : 0);
}
