/*
 * trial_inner.h - a run from inside: what trial.c (its steps) and trial_report.c (its figures) share. Nobody
 * else includes it.
 */
#ifndef ELECTOP_PROBE_INJECT_TRIAL_INNER_H
#define ELECTOP_PROBE_INJECT_TRIAL_INNER_H

#include "probe/inject/layout.h"
#include "probe/inject/trial.h"

#define PINGS_KEPT 100 /* ten seconds of them */
#define PINGS_LEAST 20

struct precinct;
struct live_rules;
struct siblings;

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
    struct agents *agents; /* NULL: alone */
    char *part;            /* what we hand in */
    bool gathered;
    struct histogram all_stand, all_failover; /* of all agents */
    struct precinct *precinct;                /* in the sandbox */
    struct siblings *siblings;                /* live: being looked at */
    struct live_rules *rules;                 /* live */
    int siblings_timeout_ms;
    struct layout layout;
    struct crowd *crowd;
    struct server_marks *marks_ask;

    enum trial_phase phase;
    enum trial_end end;
    bool finishing, removing, removed, stood, slow_noted;
    char problem[600], connection_problem[200];
    char *notes;
    int64_t wall_ms;
    uint64_t phase_us, ended_us, ran_us, cpu_us;
    size_t stood_last;
    uint64_t stood_last_us;

    bool pinging;
    uint64_t pinged_us;
    int64_t pings[PINGS_KEPT];
    size_t ping_count;
    struct histogram ping;

    struct crowd_figures last_figures;
    struct trial_times times;
    struct histogram by_cause[DEPART_COUNT];
    uint64_t by_how[DEPART_COUNT][2];
    uint64_t notices, requests, counted;
    struct server_mark before[SERVER_MARKS_MOST], after[SERVER_MARKS_MOST];
    size_t mark_count;
    bool after_known;
    size_t swept, left_to_expire, withdrawals, real_least;
};

/* Where the run ends, from wherever it is: the first reason stands. problem NULL: none. */
void trial_finish(struct trial *, enum trial_end why, const char *problem);
/* trial_watch.c: whether the ensemble bears it, and whether anybody still comes to stand. */
void trial_watch_pulse(struct trial *, uint64_t now_us);
void trial_watch_standing(struct trial *, uint64_t now_us);
void trial_gather(struct trial *);
void trial_note(struct trial *, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *trial_name(const struct trial *);
void trial_count_failover(struct trial *, const struct crowd_failover *);
/* Of this process, user and system. */
uint64_t trial_cpu_us(void);

#endif
