/*
 * crowd_kills.h - how the candidates of a crowd die and return, by its schedule (kill_schedule.h) or by
 * hand, and when a failover is over.
 */
#ifndef ELECTOP_PROBE_INJECT_CROWD_KILLS_H
#define ELECTOP_PROBE_INJECT_CROWD_KILLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/candidate/kill_mode.h"

struct crowd;

/*
 * By hand, single ones by their index (crowd.h). What befalls a session (close, drop, pause, resume) befalls
 * all the candidates on it. False: there is none, or nothing to do it to.
 */
bool crowd_kill(struct crowd *, size_t i, enum kill_mode);
bool crowd_resume(struct crowd *, size_t i);
bool crowd_volunteer(struct crowd *, size_t i);

/* No more deaths by the schedule, or again. */
void crowd_hold(struct crowd *, bool hold);

/* No more deaths. Reports the planned failover under way, if any, as broken off. Before
 * crowd_end(). */
void crowd_break_off(struct crowd *);

/* At each tick, in this order: is the failover that is under way over? Who dies, and who returns? */
void crowd_settle_failover(struct crowd *, uint64_t time_us);
void crowd_let_die(struct crowd *, uint64_t time_us);
void crowd_let_return(struct crowd *, uint64_t time_us);

#endif
