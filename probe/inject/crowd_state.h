/*
 * crowd_state.h - the state of a crowd that its tick (crowd.c) and its deaths (crowd_kills.c) share. Private
 * to this folder.
 */
#ifndef ELECTOP_PROBE_INJECT_CROWD_STATE_H
#define ELECTOP_PROBE_INJECT_CROWD_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/candidate/candidate_options.h"
#include "probe/inject/crowd.h"
#include "probe/inject/crowd_parts.h"
#include "probe/inject/kill_schedule.h"
#include "probe/inject/run_stats.h"

struct connect_limiter;
struct descriptor_poll;
struct shared_list;

struct crowd {
    uv_loop_t *loop;
    uv_timer_t *timer;
    struct crowd_options options;
    struct crowd_listener listener;
    void *context;
    struct crowd_parts parts;
    struct candidate_session_options candidate_session_options;
    struct connect_limiter *gate;
    struct descriptor_poll *poller;
    struct shared_list *reading; /* NULL: everybody reads for itself */
    struct run_stats stats;

    size_t per_session, wanted, entered;
    struct candidate_session **crews;
    size_t candidate_session_count, crew_room;
    size_t connecting, connected; /* crews */
    uint64_t begun_us, stood_us, lost, expired;
    uint64_t paced_us; /* since when the rate brings them on: the beginning, until more are added */
    uint64_t random;
    char *problem;

    bool content;        /* with the candidates in line */
    bool closed;         /* no more are added for now */
    bool doubted;        /* one leads while another believes that it does, too */
    uint64_t resumed_us; /* when the last pause ended; 0: none since the last death */
    uint64_t rest_us,
        rest_count; /* time of the latest request or notification, and their number until then */
    int rest_ticks;
    struct kill_schedule deaths;

    void (*ended)(void *context, size_t left_to_expire);
    bool ending;
    uint64_t ending_us;
    size_t ended_count, left_to_expire;
};

/* NULL: there is none yet. */
struct test_candidate *crowd_candidate_at(const struct crowd *, size_t i);
/* Its part in the mixture. */
const struct candidate_options *crowd_casting_at(const struct crowd *, size_t i);

#endif
