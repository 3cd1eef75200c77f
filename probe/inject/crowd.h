/*
 * crowd.h - many test candidates in one election: added at a rate, killed on a schedule, measured.
 *
 * Each follows the recipe of candidate.h; candidate_io.c sends its requests, for one candidate or for several
 * on one session. The crowd protects a server from overload (connects in small windows, and hardly any while
 * it is away), keeps each session's watches few enough to be set again after a restart, and counts
 * everything: how long it takes to be in line, and each failover from the moment at which the leader's death
 * was due, so that a stalled program does not flatter itself.
 *
 * Whether a crowd may run at all is not decided here (see the guard, through which every write goes). One
 * loop, one thread. Times are microseconds of uv_hrtime(), durations say their unit.
 */
#ifndef ELECTOP_PROBE_INJECT_CROWD_H
#define ELECTOP_PROBE_INJECT_CROWD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "probe/candidate/test_candidate.h"
#include "probe/inject/kill_schedule.h"
#include "probe/inject/run_options.h"
#include "probe/inject/run_stats.h"
#include "probe/zookeeper/session.h"

/* Everything counted so far. Pointers stay valid until the crowd is called again or the loop turns; from
 * crowd_end() on, when nothing more is counted, until crowd_free(). */
struct crowd_figures {
    size_t candidates, sessions;       /* that there are */
    size_t wanted;                     /* candidates, with those that are still to come on */
    size_t by_state[CANDIDATE_STATES]; /* of the candidates */
    size_t paused, connected;          /* sessions */
    size_t per_session;                /* in effect; less than asked for where the packet's limit says so */
    uint64_t begun_us, stood_us; /* stood_us: when all of the first ones knew their positions; 0: not yet */
    const struct histogram *to_stand; /* from when a candidate was due until it knew its position */
    const struct histogram
        *to_fail_over; /* due_us to led_us of all planned failovers that came to their end */
    const struct crowd_failover *failovers; /* in their order, the last may be under way */
    size_t failover_count;
    uint64_t requests, lists, creates, deletes, notices; /* requests: all of them, lists among them */
    /* Attempts to connect, those that failed, connections lost, sessions expired. */
    uint64_t connects, refused, lost, expired;
    uint64_t first_most_us;       /* never_leads: the longest that one of us was first; 0: never was */
    uint64_t survived;            /* deaths that were none: a pause that was over before anybody noticed */
    uint64_t unplanned;           /* failovers without a death of the schedule, once they were over */
    uint64_t deaths;              /* by the schedule, of leaders and of others */
    uint64_t left_out[OBSTACLES]; /* deaths that were due by it and could not be (kill_schedule.h) */
    uint64_t errors;              /* candidates that gave up */
    const char *problem;          /* the last of these, or why nothing connects just now; or NULL */
};

struct crowd_listener {           /* each may be NULL */
    void (*stood)(void *context); /* all of the first ones, once */
    void (*failed_over)(void *context,
                        const struct crowd_failover *); /* each, when it has led or is given up */
    void (*changed)(void *context, size_t candidate, enum candidate_state);
};

/* How many sessions these options come to, with the packet's limit taken into account; see
 * descriptors_make_room(). */
size_t crowd_sessions(const struct run_options *options, const struct candidate_options *candidate);

/* Begins. session: hosts, timeout, credentials. candidate: of all, but for their behaviour. Copies all three;
   what they point to must outlive the crowd. NULL: no descriptor is left. */
struct crowd *crowd_new(uv_loop_t *loop, const struct run_options *options,
                        const struct session_options *session, const struct candidate_options *candidate,
                        const struct crowd_listener *listener, void *context);
void crowd_figures(const struct crowd *crowd, struct crowd_figures *figures);

/* Single candidates, by their index from 0 in the order of their beginning. NULL: there is none. */
const struct test_candidate *crowd_candidate(const struct crowd *crowd, size_t i);
size_t crowd_leader(const struct crowd *crowd); /* index, or SIZE_MAX: none of the crowd leads */
/*
 * Kills, resumes and returns single candidates, by their index. What happens to a session (close, drop,
 * pause, resume) happens to all the candidates on it. False: there is no such candidate, or nothing to do it
 * to.
 */
bool crowd_kill(struct crowd *crowd, size_t i, enum kill_mode how);
bool crowd_resume(struct crowd *crowd, size_t i);
bool crowd_volunteer(struct crowd *crowd, size_t i);
/* Suspends the kill schedule, or resumes it. */
void crowd_hold(struct crowd *crowd, bool hold);
/* Ends the kill schedule before crowd_end(). Reports a planned failover under way as broken off. */
void crowd_break_off(struct crowd *crowd);

/* So many more are to come. False: it is at its end, or they would be too many. */
bool crowd_add(struct crowd *crowd, size_t count);

/* Adds no more, and gives up candidates that are not in line yet: the rest are all. */
void crowd_settle_for(struct crowd *crowd);
/* Ends so many connected sessions, the last to come first, but not the leader's. Returns how many it were. */
size_t crowd_give_back(struct crowd *crowd, size_t sessions);
/* Closed to those who are still on their way and to those yet to come, who keep their place; until opened. */
void crowd_close(struct crowd *crowd, bool closed);

/*
 * Ends all sessions in an orderly way, some in each turn of the loop, including paused ones and those without
 * a connection; ended is called when none is left alive, with the number that had to be left to expire. (The
 * servers may need a moment more to carry out the ends: a caller that relies on them checks again.) Then (or
 * at any time, without a request to the servers) crowd_free(), but never from within a listener. NULL is
 * fine.
 */
void crowd_end(struct crowd *crowd, void (*ended)(void *context, size_t left_to_expire));
void crowd_free(struct crowd *crowd);

#endif
