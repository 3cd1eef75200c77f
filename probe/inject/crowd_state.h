/*
 * crowd_state.h - a crowd from inside: what its tick (crowd.c) and its deaths (crowd_deaths.c) share. For
 * nobody else.
 */
#ifndef ELECTOP_PROBE_INJECT_CROWD_STATE_H
#define ELECTOP_PROBE_INJECT_CROWD_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/inject/casting.h"
#include "probe/inject/crowd.h"
#include "probe/inject/crowd_parts.h"
#include "probe/inject/death_schedule.h"
#include "probe/inject/tally.h"

struct gate;
struct poller;
struct reading;

struct crowd {
    uv_loop_t *loop;
    uv_timer_t *timer;
    struct crowd_options options;
    struct crowd_listener listener;
    void *context;
    struct crowd_parts parts;
    struct crew_options crew_options;
    struct gate *gate;
    struct poller *poller;
    struct reading *reading; /* NULL: everybody reads for itself */
    struct tally tally;

    size_t per_session, wanted, entered;
    struct crew **crews;
    size_t crew_count, crew_room;
    size_t connecting, connected; /* crews */
    uint64_t begun_us, stood_us, lost, expired;
    uint64_t paced_us; /* since when the rate brings them on: the beginning, until more are added */
    uint64_t random;
    char *problem;

    bool content;                 /* with those that stand */
    bool closed;                  /* nobody more comes on for now */
    bool doubted;                 /* one leads while another believes that it does, too */
    uint64_t resumed_us;          /* when the last pause ended; 0: none since the last death */
    uint64_t rest_us, rest_count; /* since when nothing was asked or told, and how much until then */
    int rest_ticks;
    struct death_schedule deaths;

    void (*ended)(void *context, size_t left_to_expire);
    bool ending;
    uint64_t ending_us;
    size_t ended_count, left_to_expire;
};

/* NULL: there is none yet. */
struct test_candidate *crowd_candidate_at(const struct crowd *, size_t i);
/* Its part in the mixture. */
const struct casting *crowd_casting_at(const struct crowd *, size_t i);

#endif
