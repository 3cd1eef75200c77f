/*
 * trial_state.h - a run from inside: what its steps (trial.c) and the parts that serve them share. Nobody
 * outside trial*.c includes it.
 */
#ifndef ELECTOP_PROBE_INJECT_TRIAL_STATE_H
#define ELECTOP_PROBE_INJECT_TRIAL_STATE_H

#include "probe/inject/agents.h"
#include "probe/inject/layout.h"
#include "probe/inject/server_marks.h"
#include "probe/inject/trial_look.h"
#include "probe/inject/trial_options.h"
#include "probe/inject/trial_phase.h"

#define PINGS_KEPT 100 /* ten seconds of them */
#define PINGS_LEAST 20

struct precinct;
struct live_rules;
struct siblings;
struct trial_part;

struct trial {
    uv_loop_t *loop;
    uv_timer_t *timer; /* a block of its own: libuv needs it for longer than we do */
    struct trial_options options;
    struct trial_listener listener;
    void *context;

    char *hosts, *path, *sandbox; /* full paths */
    char *run, *within, *election, *mark;
    struct session *session;
    struct guard *guard;
    char agent[AGENT_NAME_SIZE];
    struct agents *agents;     /* NULL: alone */
    size_t agents_short;       /* of them: so many did not come to their end */
    char *part;                /* what we hand in */
    struct trial_part *all;    /* of all agents; NULL: not gathered */
    struct precinct *precinct; /* in the sandbox */
    trial_looked_fn looked;    /* who is told what the look at the path showed */
    struct siblings *siblings; /* live: being looked at */
    struct live_rules *rules;  /* live */
    int siblings_timeout_ms;
    struct layout layout;
    struct crowd *crowd;
    struct server_marks *marks_ask;

    enum trial_phase phase;
    enum trial_end end;
    bool finishing, removing, removed, stood, slow_noted, kept_noted;
    char problem[600], connection_problem[200];
    char left[300]; /* why not everything was removed; "": it was, or nobody knows */
    char *notes;
    int64_t wall_ms;
    uint64_t phase_us, ended_us, ran_us, cpu_us;
    size_t stood_last;
    uint64_t stood_last_us;

    uint64_t away_since_us, away_us; /* no server answered our own session; since: 0: one does */
    size_t away_count;
    uint64_t held_up_us; /* in all; ticks were late by so much */

    bool pinging;
    bool ping_void; /* the program itself stood still meanwhile */
    uint64_t pinged_us, pulse_us;
    int64_t pings[PINGS_KEPT];
    size_t ping_count;
    struct histogram ping;

    struct crowd_figures last_figures;
    struct trial_times times;
    struct histogram by_cause[DEPART_COUNT];
    uint64_t by_how[DEPART_COUNT][2];
    uint64_t notices, requests, counted;
    struct server_mark before[SERVER_MARKS_MOST], highest[SERVER_MARKS_MOST], after[SERVER_MARKS_MOST];
    size_t mark_count, looks[SERVER_MARKS_MOST];
    uint64_t marks_asked_us, marks_next_us;
    void (*marks_then)(struct trial *);
    bool marks_ended;
    size_t swept, left_to_expire, withdrawals;
};

/* A line for people, told with the report. */
void trial_note(struct trial *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The pattern of its candidates' names. */
const char *trial_name(const struct trial *);
/* Of this process, user and system. */
uint64_t trial_cpu_us(void);

#endif
