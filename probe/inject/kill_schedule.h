/*
 * kill_schedule.h - when a candidate of a crowd is to die, and when a dead one returns.
 *
 * Pure: time is an argument, in microseconds of one clock. Delays of this program count: a death is due when
 * it is due. Deaths that the ensemble prevents are not repeated later (its time to notice is the
 * measurement), but they are counted: of those due while the previous failover was not over, or while there
 * was no candidate to kill, one is carried out as soon as possible, and is due then; the others are left out.
 */
#ifndef ELECTOP_PROBE_INJECT_KILL_SCHEDULE_H
#define ELECTOP_PROBE_INJECT_KILL_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/candidate/behaviour.h"

/* Why a death that is due cannot be. */
enum death_obstacle {
    OBSTACLE_FAILOVER, /* the one before is not over */
    OBSTACLE_NOBODY,   /* no leader, or no candidate at all */
    OBSTACLES          /* none: it can */
};

struct death_return;
/* Begin with {0} and both durations. */
struct kill_schedule {
    uint64_t every_us, away_us; /* away: for so long is who died away; 0: for good */
    uint64_t next_us;           /* 0: not known yet */
    uint64_t owed_us;           /* when the one that is carried out next fell due first; 0: not known yet */
    bool held, postponed;
    enum death_obstacle obstacle; /* postponed: why */
    uint64_t done, left_out[OBSTACLES];
    struct death_return *returns;
    size_t return_count, return_room;
};

void kill_schedule_free(struct kill_schedule *kill_schedule);

/* Is a death due, in a crowd that has been in line since then? */
bool kill_schedule_is_due(struct kill_schedule *kill_schedule, uint64_t stood_us, uint64_t time_us);
/* When the death that is due was due: now, where something was in its way before. OBSTACLES: it can be now.
 */
uint64_t kill_schedule_take(struct kill_schedule *kill_schedule, enum death_obstacle obstacle,
                            uint64_t time_us);
/* They died, and how: plans the next death, and their return. */
void kill_schedule_died(struct kill_schedule *kill_schedule, size_t i, enum kill_mode how, uint64_t due_us,
                        uint64_t time_us);
/* The next candidate to return now, and how it had died. False: no more. */
bool kill_schedule_returns(struct kill_schedule *kill_schedule, uint64_t time_us, size_t *i,
                           enum kill_mode *how);

/* The death before is over only now: the next is not due before. */
void kill_schedule_not_before(struct kill_schedule *kill_schedule, uint64_t time_us);
/* No more deaths, or again; deaths due meanwhile are not repeated later. */
void kill_schedule_hold(struct kill_schedule *kill_schedule, bool hold);
/* No more deaths at all: a death that is held up is left out. */
void kill_schedule_end(struct kill_schedule *kill_schedule);

#endif
