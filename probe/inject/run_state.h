/*
 * run_state.h - the state of a run, shared by its steps (run.c) and the files that implement them. Private to
 * this folder.
 */
#ifndef ELECTOP_PROBE_INJECT_RUN_STATE_H
#define ELECTOP_PROBE_INJECT_RUN_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/inject/agents.h"
#include "probe/inject/layout.h"
#include "probe/inject/run_layout.h"
#include "probe/inject/run.h"
#include "probe/inject/run_report.h"
#include "probe/inject/server_counters.h"

#define PINGS_KEPT 100 /* pings of ten seconds */
#define PINGS_LEAST 20

struct sandbox_dir;
struct live_rules;
struct live_checks;
struct agent_results;

struct run {
    uv_loop_t *loop;
    uv_timer_t *timer; /* allocated separately: libuv uses it after the run has ended */
    struct run_options options;
    struct run_listener listener;
    void *context;

    char *hosts, *path, *sandbox; /* full paths */
    char *run, *within, *election, *ack;
    struct session *session;
    struct guard *guard;
    char agent[AGENT_NAME_SIZE];
    struct agents *agents;           /* NULL: a single one */
    size_t agents_short;             /* those of them that did not finish */
    char *part;                      /* our own results */
    struct agent_results *all;       /* of all agents; NULL: not collected */
    struct sandbox_dir *sandbox_dir; /* in the sandbox */
    run_layout_fn layout_read;       /* called with the result of reading the path */
    struct live_checks *live_checks; /* live: of the real candidates, while the checks run */
    struct live_rules *rules;        /* live */
    int live_timeout_ms;             /* live: the shortest session timeout of the real candidates */
    struct layout layout;
    struct crowd *crowd;
    struct server_counters *counters;

    enum run_phase phase;
    enum run_end end;
    bool finishing, removing, removed, stood, slow_noted, kept_noted;
    char problem[600], connection_problem[200];
    char left[300]; /* why znodes remain; "": none do, or it is unknown */
    char *notes;
    int64_t wall_ms;
    uint64_t phase_us, ended_us, ran_us, cpu_us;
    size_t stood_last;
    uint64_t stood_last_us;

    uint64_t away_since_us, away_us; /* no server answered our own session; since: 0: one answers */
    size_t away_count;
    uint64_t held_up_us; /* in total; the delay of ticks */

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
    size_t counter_count, polls[SERVER_COUNTERS_MOST];
    uint64_t counters_asked_us, counters_next_us;
    void (*counters_then)(struct run *);
    bool counters_ended;
    size_t swept, left_to_expire, withdrawals;
};

/* Adds a line for the user to the report. */
void run_note(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The name pattern of its candidates. */
const char *run_name(const struct run *run);
/* The CPU time of this process, user and system. */
uint64_t run_cpu_us(void);

/*
 * A run's paths: its name, its election's path, and the directories between.
 */

/* The requested path is the sandbox, or lies in it. */
bool run_is_inside(const struct run *run);

/*
 * Chooses run, within and election, which the run owns; with --join also its agent's name. False: impossible
 * (a name that a run must not have in the sandbox; --live inside the sandbox).
 */
bool run_paths_choose(struct run *run);

/*
 * The servers' own figures: before, during and after a run.
 *
 * During the run servers are polled as carefully as by a dashboard: at most once a second, and with pauses of
 * at least a hundred times the last answer's duration. So the report contains the highest of some polls, and
 * the number of polls; figures in between are unknown.
 */

/* then: called when the figures are known, or at once if no server may be polled. */
void run_counters_before(struct run *run, void (*then)(struct run *));
/* At every tick, with uv_hrtime() as microseconds. */
void run_counters_during(struct run *run, uint64_t now_us);
/* False: there is nothing (more) to wait for, and then is not called. */
bool run_counters_after(struct run *run, void (*then)(struct run *));
/* Prevents further callbacks. */
void run_counters_cancel(struct run *run);

/*
 * Checks during a run: whether candidates still join, and whether the ensemble bears the load.
 *
 * Called at every tick, with uv_hrtime() as microseconds. False: the run must end, and problem gives the
 * reason.
 */

#define RUN_WATCH_TEXT 400

/* Measures the ensemble's ping with regular requests, and how long the slowest of them take. */
bool run_watch_pulse(struct run *run, uint64_t now_us, char problem[RUN_WATCH_TEXT]);
/* If some candidates joined and no more come, the run continues with these; if none joined, it cannot. */
bool run_watch_joining(struct run *run, uint64_t now_us, char problem[RUN_WATCH_TEXT]);

/* Checks whether this program itself keeps up with the clock. Call it before the ping check. */
void run_watch_own_pace(struct run *run, uint64_t now_us);
/* Takes each change of our own session's connection. */
void run_watch_connection(struct run *run, bool connected);
/* Notes at the end how long our session was not connected, and how far we fell behind. */
void run_watch_note_absence(struct run *run);

#endif
