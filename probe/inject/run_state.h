/*
 * run_state.h - the state of a run that its steps (run.c) and the files beside it share. Private to this
 * folder.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_STATE_H
#define ELECTOP_PROBE_INJECT_RUN_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/inject/agents.h"
#include "probe/inject/layout.h"
#include "probe/inject/run.h"
#include "probe/inject/run_report.h"
#include "probe/inject/server_counters.h"

#define PINGS_KEPT 100 /* ten seconds of them */
#define PINGS_LEAST 20

struct sandbox_dir;
struct live_rules;
struct live_checks;
struct run_part;

struct run {
    uv_loop_t *loop;
    uv_timer_t *timer; /* a block of its own: libuv needs it for longer than the run lasts */
    struct run_options options;
    struct run_listener listener;
    void *context;

    char *hosts, *path, *sandbox; /* full paths */
    char *run, *within, *election, *ack;
    struct session *session;
    struct guard *guard;
    char agent[AGENT_NAME_SIZE];
    struct agents *agents;           /* NULL: alone */
    size_t agents_short;             /* of them: so many did not come to their end */
    char *part;                      /* what we hand in */
    struct run_part *all;            /* of all agents; NULL: not gathered */
    struct sandbox_dir *sandbox_dir; /* in the sandbox */
    run_layout_fn looked;            /* called with the result of reading the path */
    struct live_checks *live_checks; /* live: of the real candidates, while they go on */
    struct live_rules *rules;        /* live */
    int live_timeout_ms;             /* live: the shortest session timeout of the real candidates */
    struct layout layout;
    struct crowd *crowd;
    struct server_counters *counters;

    enum run_phase phase;
    enum run_end end;
    bool finishing, removing, removed, stood, slow_noted, kept_noted;
    char problem[600], connection_problem[200];
    char left[300]; /* why not everything was removed; "": it was, or it is not known */
    char *notes;
    int64_t wall_ms;
    uint64_t phase_us, ended_us, ran_us, cpu_us;
    size_t stood_last;
    uint64_t stood_last_us;

    uint64_t away_since_us, away_us; /* no server answered our own session; since: 0: one does */
    size_t away_count;
    uint64_t held_up_us; /* in all; ticks were late by so much */

    bool pinging;
    bool ping_void; /* the program itself was stalled meanwhile */
    uint64_t pinged_us, pulse_us;
    int64_t pings[PINGS_KEPT];
    size_t ping_count;
    struct histogram ping;

    struct crowd_figures last_figures;
    struct run_times times;
    struct histogram by_cause[KILL_COUNT];
    uint64_t by_how[KILL_COUNT][2];
    uint64_t notices, requests, counted;
    struct server_counter before[SERVER_COUNTERS_MOST], highest[SERVER_COUNTERS_MOST],
        after[SERVER_COUNTERS_MOST];
    size_t counter_count, looks[SERVER_COUNTERS_MOST];
    uint64_t counters_asked_us, counters_next_us;
    void (*counters_then)(struct run *);
    bool counters_ended;
    size_t swept, left_to_expire, withdrawals;
};

/* A line for people, part of the report. */
void run_note(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The pattern of its candidates' names. */
const char *run_name(const struct run *run);
/* Of this process, user and system. */
uint64_t run_cpu_us(void);

/*
 * A run's paths: its name, its election's path, and the directories between.
 */

/* The path that was asked for is the sandbox, or in it. */
bool run_is_inside(const struct run *run);

/*
 * Chooses run, within and election, which the run owns; with --join its agent's name, too. False:
 * there can be none (a name in the sandbox that a run may not have; --live inside the sandbox).
 */
bool run_paths_choose(struct run *run);

/*
 * The servers' own figures: before a run, while it goes on, and after it.
 *
 * While it goes on they are polled as politely as by a dashboard: at most once a second, and at least a
 * hundred times less often than the last answer took. So the report has the highest of some polls, and the
 * number of polls; figures in between are not known.
 */

/* then: when they are known, or at once where no server may be polled. */
void run_counters_before(struct run *run, void (*then)(struct run *));
/* At every tick, with uv_hrtime() as microseconds. */
void run_counters_during(struct run *run, uint64_t now_us);
/* False: there is nothing to wait for (any more), and then is not called. */
bool run_counters_after(struct run *run, void (*then)(struct run *));
/* No more callbacks. */
void run_counters_cancel(struct run *run);

/*
 * Checks while a run goes on: whether candidates still join, and whether the ensemble bears the
 * load.
 *
 * Called at every tick, with uv_hrtime() as microseconds. False: the run must end, and problem says why.
 */

#define RUN_WATCH_TEXT 400

/* The ensemble's pulse: a request every so often, and how long the slowest of them take. */
bool run_watch_pulse(struct run *run, uint64_t now_us, char problem[RUN_WATCH_TEXT]);
/* Where some joined and no more come, the run goes on with these; where none joined, it cannot. */
bool run_watch_joining(struct run *run, uint64_t now_us, char problem[RUN_WATCH_TEXT]);

/* Whether we ourselves keep up with the clock. Before the pulse. */
void run_watch_own_pace(struct run *run, uint64_t now_us);
/* Whether our own session is connected, at each change. */
void run_watch_connection(struct run *run, bool connected);
/* At the end: for how long it was not, and for how long we did not keep up. */
void run_watch_note_absence(struct run *run);

#endif
