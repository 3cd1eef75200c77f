/*
 * kill_schedule.h - when a candidate of a crowd is to be killed, and when a killed one returns.
 *
 * Pure: time is an argument, in microseconds of one clock. Delays of this program count: a kill stays due at
 * its time. Kills that the ensemble prevents are not repeated later (its time to notice is what the run
 * measures), but they are counted. Of those due while the previous failover was not over, or while there was
 * no candidate to kill, one is carried out as soon as possible, and is due then; the others are left out.
 */
#ifndef ELECTOP_PROBE_INJECT_KILL_SCHEDULE_H
#define ELECTOP_PROBE_INJECT_KILL_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/candidate/behaviour.h"

/* Why a due kill is not possible. */
enum death_obstacle {
    OBSTACLE_FAILOVER, /* the previous failover is not over */
    OBSTACLE_NOBODY,   /* no leader, or no candidate at all */
    OBSTACLES          /* none: it is possible */
};

struct death_return;
/* Begin with {0} and both durations. */
struct kill_schedule {
    uint64_t every_us, away_us; /* away: how long a killed candidate stays away; 0: for ever */
    uint64_t next_us;           /* 0: unknown yet */
    uint64_t owed_us;           /* when the next kill to be carried out first fell due; 0: unknown yet */
    bool held, postponed;
    enum death_obstacle obstacle; /* why it is postponed */
    uint64_t done, left_out[OBSTACLES];
    struct death_return *returns;
    size_t return_count, return_room;
};

void kill_schedule_free(struct kill_schedule *kill_schedule);

/* Whether a kill is due, in a crowd that has been complete since then. */
bool kill_schedule_is_due(struct kill_schedule *kill_schedule, uint64_t stood_us, uint64_t time_us);
/* The due time of the kill: now, if an obstacle delayed it. OBSTACLES: there is no obstacle now. */
uint64_t kill_schedule_take(struct kill_schedule *kill_schedule, enum death_obstacle obstacle,
                            uint64_t time_us);
/* Candidates were killed, in this way: plans the next kill, and their return. */
void kill_schedule_died(struct kill_schedule *kill_schedule, size_t i, enum kill_mode how, uint64_t due_us,
                        uint64_t time_us);
/* The next candidate to return now, and how it was killed. False: no more. */
bool kill_schedule_returns(struct kill_schedule *kill_schedule, uint64_t time_us, size_t *i,
                           enum kill_mode *how);

/* The previous failover is over only now: the next kill is not due before. */
void kill_schedule_not_before(struct kill_schedule *kill_schedule, uint64_t time_us);
/* Suspends or resumes kills; those due meanwhile are not repeated later. */
void kill_schedule_hold(struct kill_schedule *kill_schedule, bool hold);
/* Ends all kills: a postponed one is left out. */
void kill_schedule_end(struct kill_schedule *kill_schedule);

#endif
