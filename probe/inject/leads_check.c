#include "probe/inject/leads_check.h"

#include "probe/election/recipe.h"

void leads_check_begin(struct leads_check *front, uint64_t now_us)
{
    *front = (struct leads_check){.ours = INT64_MAX, .behind_us = now_us, .before_least = -1};
}

void leads_check_look(struct leads_check *front, char *const *names, size_t count, int64_t ours,
                      uint64_t asked_us, uint64_t answered_us)
{
    int64_t before = 0, last = 0;
    size_t real = 0, still = 0;
    if (ours < front->ours)
        front->ours = ours;
    for (size_t i = 0; i < count; i++) {
        int64_t number = recipe_sequence_of(names[i]);
        if (number == SEQUENCE_NONE)
            continue;
        before += number < front->ours;
        real += number < ours;
        still += number < front->bound;
        last = number > last ? number : last;
    }
    front->left = still < front->real;
    front->real = real;
    front->bound = ours < last ? ours : last + 1;
    if (front->ours == INT64_MAX || before > 0)
        front->behind_us = asked_us;
    else if (answered_us - front->behind_us > front->first_may_us)
        front->first_may_us = answered_us - front->behind_us;
    if (front->ours != INT64_MAX && (front->before_least < 0 || before < front->before_least))
        front->before_least = before;
    front->ours = ours;
}

bool leads_check_is_open(const struct leads_check *front)
{
    return front->ours != INT64_MAX;
}
