/*
 * crowd_deaths.h - how the candidates of a crowd die and return, by its schedule (death_schedule.h) or by
 * hand, and when a failover is over.
 */
#ifndef ELECTOP_PROBE_INJECT_CROWD_DEATHS_H
#define ELECTOP_PROBE_INJECT_CROWD_DEATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/inject/departure.h"

struct crowd;

/*
 * By hand, single ones by their index (crowd.h). What befalls a session (close, drop, pause, resume) befalls
 * all the candidates on it. False: there is none, or nothing to do it to.
 */
bool crowd_kill(struct crowd *, size_t i, enum departure);
bool crowd_resume(struct crowd *, size_t i);
bool crowd_volunteer(struct crowd *, size_t i);

/* No more deaths by the schedule, or again. */
void crowd_hold(struct crowd *, bool hold);

/* No more deaths. Tells of the planned failover that is under way, if any, as it is: broken off. Before
 * crowd_end(). */
void crowd_break_off(struct crowd *);

/* At each tick, in this order: is the failover that is under way over? Who dies, and who returns? */
void crowd_settle_failover(struct crowd *, uint64_t time_us);
void crowd_let_die(struct crowd *, uint64_t time_us);
void crowd_let_return(struct crowd *, uint64_t time_us);

#endif
