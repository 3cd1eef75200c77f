/*
 * death_schedule.h - when somebody of a crowd is to die, and when who has died returns.
 *
 * Pure: time is an argument, in microseconds of one clock. A death is due when the one before it is over,
 * too: how long the ensemble takes to notice is what is being measured, and nothing to catch up with. What we
 * are late ourselves counts.
 */
#ifndef ELECTOP_PROBE_INJECT_DEATH_SCHEDULE_H
#define ELECTOP_PROBE_INJECT_DEATH_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/inject/departure.h"

struct death_return;
/* Begin with {0} and both durations. */
struct death_schedule {
    uint64_t every_us, away_us; /* away: for so long is who died away; 0: for good */
    uint64_t next_us;           /* 0: not known yet */
    bool held, postponed;
    struct death_return *returns;
    size_t return_count, return_room;
};

void death_schedule_free(struct death_schedule *);

/* Is a death due, of a crowd that has stood since? */
bool death_schedule_is_due(struct death_schedule *, uint64_t stood_us, uint64_t time_us);
/* When the death that is due was due: at once, where before nobody was there to die. somebody: one is. */
uint64_t death_schedule_take(struct death_schedule *, bool somebody, uint64_t time_us);
/* They died, and how: plans the next death, and their return. */
void death_schedule_died(struct death_schedule *, size_t i, enum departure how, uint64_t due_us,
                         uint64_t time_us);
/* Who returns now, one after the other, and how they had died. False: nobody more. */
bool death_schedule_returns(struct death_schedule *, uint64_t time_us, size_t *i, enum departure *how);

/* The death before is over only now: the next is not due before. */
void death_schedule_not_before(struct death_schedule *, uint64_t time_us);
/* No more deaths, or again; what was due meanwhile is not caught up with. */
void death_schedule_hold(struct death_schedule *, bool hold);

#endif
