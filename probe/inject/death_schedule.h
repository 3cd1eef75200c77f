/*
 * death_schedule.h - when somebody of a crowd is to die, and when who has died returns.
 *
 * Pure: time is an argument, in microseconds of one clock. What we are late ourselves counts: such a death
 * was due when it was due. What the ensemble keeps from happening is not caught up with (how long it takes to
 * notice is what is being measured), but it is counted: of those that fell due while the one before was not
 * over, or while nobody was there to die, one is carried out as soon as that can be, and is due then; the
 * others are left out.
 */
#ifndef ELECTOP_PROBE_INJECT_DEATH_SCHEDULE_H
#define ELECTOP_PROBE_INJECT_DEATH_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/inject/departure.h"

/* Why a death that is due cannot be. */
enum death_obstacle {
    OBSTACLE_FAILOVER, /* the one before is not over */
    OBSTACLE_NOBODY,   /* nobody leads, or stands at all */
    OBSTACLES          /* none: it can */
};

struct death_return;
/* Begin with {0} and both durations. */
struct death_schedule {
    uint64_t every_us, away_us; /* away: for so long is who died away; 0: for good */
    uint64_t next_us;           /* 0: not known yet */
    uint64_t owed_us;           /* when the one that is carried out next fell due first; 0: not known yet */
    bool held, postponed;
    enum death_obstacle obstacle; /* postponed: why */
    uint64_t done, left_out[OBSTACLES];
    struct death_return *returns;
    size_t return_count, return_room;
};

void death_schedule_free(struct death_schedule *);

/* Is a death due, of a crowd that has stood since? */
bool death_schedule_is_due(struct death_schedule *, uint64_t stood_us, uint64_t time_us);
/* When the death that is due was due: now, where something was in its way before. OBSTACLES: it can be now.
 */
uint64_t death_schedule_take(struct death_schedule *, enum death_obstacle, uint64_t time_us);
/* They died, and how: plans the next death, and their return. */
void death_schedule_died(struct death_schedule *, size_t i, enum departure how, uint64_t due_us,
                         uint64_t time_us);
/* Who returns now, one after the other, and how they had died. False: nobody more. */
bool death_schedule_returns(struct death_schedule *, uint64_t time_us, size_t *i, enum departure *how);

/* The death before is over only now: the next is not due before. */
void death_schedule_not_before(struct death_schedule *, uint64_t time_us);
/* No more deaths, or again; what was due meanwhile is not caught up with. */
void death_schedule_hold(struct death_schedule *, bool hold);
/* Nobody dies any more: one that something is in the way of is left out. */
void death_schedule_end(struct death_schedule *);

#endif
