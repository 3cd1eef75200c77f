/*
 * crowd.h - many test candidates in one election: added at a rate, killed on a schedule, measured.
 *
 * Each candidate follows the recipe of candidate.h; candidate_io.c sends its requests, for one candidate or
 * for several on one session. The crowd protects a server from overload: it connects in small windows, and
 * hardly at all while the server is away. It keeps each session's watches few enough to be set again after a
 * restart. It counts everything: how long a candidate takes to get its position, and each failover from the
 * moment at which the leader's kill was due, so that a stalled program does not improve its own results.
 *
 * The guard, through which all writes pass, decides whether a crowd may run at all. One loop, one thread.
 * Times are microseconds of uv_hrtime(); durations have their unit in the name.
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

/* All counts so far. Pointers stay valid until the next call of the crowd or the next turn of the loop; after
 * crowd_end(), when nothing more is counted, until crowd_free(). */
struct crowd_figures {
    size_t candidates, sessions;       /* the present number */
    size_t wanted;                     /* candidates, including those still to come */
    size_t by_state[CANDIDATE_STATES]; /* of the candidates */
    size_t paused, connected;          /* sessions */
    size_t per_session;                /* in effect; less than requested if the packet limit requires it */
    uint64_t begun_us, stood_us; /* stood_us: when all initial candidates knew their positions; 0: not yet */
    const struct histogram *to_stand;       /* from a candidate's due time until it knew its position */
    const struct histogram *to_fail_over;   /* due_us to led_us of all completed planned failovers */
    const struct crowd_failover *failovers; /* in order; the last may be under way */
    size_t failover_count;
    uint64_t requests, lists, creates, deletes, notices; /* requests: all of them, including lists */
    /* Attempts to connect, those that failed, connections lost, sessions expired. */
    uint64_t connects, refused, lost, expired;
    uint64_t first_most_us; /* never_leads: the longest time that a test candidate was first; 0: never */
    uint64_t survived;      /* kills without effect: a pause that ended before anyone noticed */
    uint64_t unplanned;     /* completed failovers that the schedule did not cause */
    uint64_t deaths;        /* by the schedule, of leaders and of others */
    uint64_t left_out[OBSTACLES]; /* scheduled kills that were not possible (kill_schedule.h) */
    uint64_t errors;              /* candidates that gave up */
    const char *problem;          /* the last error, or why no session connects now; or NULL */
};

struct crowd_listener {           /* each may be NULL */
    void (*stood)(void *context); /* all initial candidates are in position; called once */
    void (*failed_over)(void *context,
                        const struct crowd_failover *); /* each, once it has led or is given up */
    void (*changed)(void *context, size_t candidate, enum candidate_state);
};

/* The number of sessions that these options need, with the packet limit taken into account; see
 * descriptors_make_room(). */
size_t crowd_sessions(const struct run_options *options, const struct candidate_options *candidate);

/* Begins. session: hosts, timeout, credentials. candidate: options of all candidates except their behaviour.
 * Copies all three; the objects that they point to must outlive the crowd. NULL: no descriptor is left. */
struct crowd *crowd_new(uv_loop_t *loop, const struct run_options *options,
                        const struct session_options *session, const struct candidate_options *candidate,
                        const struct crowd_listener *listener, void *context);
void crowd_figures(const struct crowd *crowd, struct crowd_figures *figures);

/* A candidate by its index from 0, in the order of creation. NULL: there is none. */
const struct test_candidate *crowd_candidate(const struct crowd *crowd, size_t i);
size_t crowd_leader(const struct crowd *crowd); /* index, or SIZE_MAX: no test candidate leads */
/*
 * Kills, resumes and returns single candidates, by index. An action on a session (close, drop, pause, resume)
 * affects all candidates on it. False: there is no such candidate, or the action is not possible.
 */
bool crowd_kill(struct crowd *crowd, size_t i, enum kill_mode how);
bool crowd_resume(struct crowd *crowd, size_t i);
bool crowd_volunteer(struct crowd *crowd, size_t i);
/* Suspends the kill schedule, or resumes it. */
void crowd_hold(struct crowd *crowd, bool hold);
/* Ends the kill schedule before crowd_end(). Reports a planned failover under way as incomplete. */
void crowd_break_off(struct crowd *crowd);

/* Adds this many candidates. False: the crowd is ending, or there would be too many. */
bool crowd_add(struct crowd *crowd, size_t count);

/* Adds no more, and gives up candidates without a position: the others are the crowd. */
void crowd_settle_for(struct crowd *crowd);
/* Ends this many connected sessions, the newest first, but not the leader's. Returns the number ended. */
size_t crowd_give_back(struct crowd *crowd, size_t sessions);
/* Closed: candidates without a position, and new ones, wait and keep their turn until opened. */
void crowd_close(struct crowd *crowd, bool closed);

/*
 * Ends all sessions properly, some in each turn of the loop, including paused and unconnected ones. ended is
 * called when none is left alive, with the number of sessions left to expire. (The servers may need a moment
 * longer to complete this: a caller that relies on it checks again.) Then, or at any time without requests to
 * the servers, call crowd_free(), but never from a listener. NULL is allowed.
 */
void crowd_end(struct crowd *crowd, void (*ended)(void *context, size_t left_to_expire));
void crowd_free(struct crowd *crowd);

#endif
