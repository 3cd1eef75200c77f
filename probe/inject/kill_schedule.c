#include "probe/inject/kill_schedule.h"

#include <stdlib.h>

#include "config/memory.h"

struct death_return {
    size_t i;
    uint64_t at_us;
    enum kill_mode how;
};

void kill_schedule_free(struct kill_schedule *s)
{
    free(s->returns);
    *s = (struct kill_schedule){0};
}

bool kill_schedule_is_due(struct kill_schedule *s, uint64_t stood_us, uint64_t time_us)
{
    if (s->held || stood_us == 0)
        return false;
    if (s->next_us == 0)
        s->next_us = stood_us + s->every_us;
    return time_us >= s->next_us;
}

/* Once the next one is due as well, the one before it is left out. */
static void skip_due_kills(struct kill_schedule *s, uint64_t time_us)
{
    uint64_t count = s->every_us && time_us > s->owed_us ? (time_us - s->owed_us) / s->every_us : 0;
    s->left_out[s->obstacle] += count;
    s->owed_us += count * s->every_us;
}

uint64_t kill_schedule_take(struct kill_schedule *s, enum death_obstacle obstacle, uint64_t time_us)
{
    uint64_t due_us = s->postponed ? time_us : s->next_us;
    if (s->owed_us == 0)
        s->owed_us = due_us;
    if (obstacle != OBSTACLES)
        s->obstacle = obstacle;
    s->postponed |= obstacle != OBSTACLES;
    if (s->postponed)
        skip_due_kills(s, time_us);
    s->postponed = obstacle != OBSTACLES;
    return due_us;
}

static void return_later(struct kill_schedule *s, size_t i, enum kill_mode how, uint64_t at_us)
{
    room_for_one(&s->returns, s->return_count, &s->return_room, sizeof *s->returns);
    s->returns[s->return_count++] = (struct death_return){i, at_us, how};
}

void kill_schedule_died(struct kill_schedule *s, size_t i, enum kill_mode how, uint64_t due_us,
                        uint64_t time_us)
{
    s->next_us = s->owed_us = (s->owed_us ? s->owed_us : due_us) + s->every_us;
    s->done++;
    if (s->away_us)
        return_later(s, i, how, time_us + s->away_us);
}

bool kill_schedule_returns(struct kill_schedule *s, uint64_t time_us, size_t *i, enum kill_mode *how)
{
    for (size_t k = 0; k < s->return_count; k++) {
        if (s->returns[k].at_us > time_us)
            continue;
        *i = s->returns[k].i;
        *how = s->returns[k].how;
        s->returns[k] = s->returns[--s->return_count];
        return true;
    }
    return false;
}

void kill_schedule_not_before(struct kill_schedule *s, uint64_t time_us)
{
    if (s->next_us && s->next_us < time_us)
        s->next_us = time_us;
}

void kill_schedule_hold(struct kill_schedule *s, bool hold)
{
    s->held = hold;
    s->postponed = true;
    s->owed_us = 0;
}

void kill_schedule_end(struct kill_schedule *s)
{
    s->left_out[s->obstacle] += s->postponed && !s->held && s->owed_us;
    s->held = true;
}
