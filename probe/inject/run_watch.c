#include "probe/inject/run_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVERY_US UINT64_C(1000000)
#define PAUSE_FACTOR 100

static void run_counters_on_before(void *context, const struct server_counter *counters, size_t count)
{
    struct run *t = context;
    t->counters = NULL;
    t->counter_count = count;
    memcpy(t->before, counters, count * sizeof *counters);
    for (size_t i = 0; i < count; i++) {
        server_counter_clear(&t->highest[i]);
        server_counter_clear(&t->after[i]);
    }
    t->counters_then(t);
}

void run_counters_before(struct run *t, void (*then)(struct run *))
{
    t->counters_then = then;
    t->counters = server_counters_ask(t->loop, t->options.cluster, run_counters_on_before, t);
    if (!t->counters)
        then(t);
}

static void on_during(void *context, const struct server_counter *counters, size_t count)
{
    struct run *t = context;
    uint64_t now_us = uv_hrtime() / 1000, pause_us = PAUSE_FACTOR * (now_us - t->counters_asked_us);
    t->counters = NULL;
    t->counters_next_us = now_us + (pause_us > EVERY_US ? pause_us : EVERY_US);
    for (size_t i = 0; i < count && i < t->counter_count; i++)
        t->polls[i] += server_counter_raise(&t->highest[i], &counters[i]);
}

void run_counters_during(struct run *t, uint64_t now_us)
{
    if (t->counter_count == 0 || t->counters || now_us < t->counters_next_us)
        return;
    t->counters_asked_us = now_us;
    t->counters = server_counters_ask(t->loop, t->options.cluster, on_during, t);
    t->counters_next_us = now_us + EVERY_US; /* where nothing could be asked, too */
}

static void run_counters_on_after(void *context, const struct server_counter *counters, size_t count)
{
    struct run *t = context;
    t->counters = NULL;
    if (count > t->counter_count)
        count = t->counter_count;
    memcpy(t->after, counters, count * sizeof *counters);
    for (size_t i = 0; i < count; i++)
        if (server_counter_knows(&t->before[i]) && !server_counter_knows(&counters[i]))
            run_note(t, "%s answered before the run but not after it: its figures are not known",
                     counters[i].address);
    t->counters_then(t);
}

bool run_counters_after(struct run *t, void (*then)(struct run *))
{
    if (t->counter_count == 0 || t->counters_ended)
        return false;
    t->counters_ended = true;
    run_counters_cancel(t);
    t->counters_then = then;
    t->counters = server_counters_ask(t->loop, t->options.cluster, run_counters_on_after, t);
    return t->counters != NULL;
}

void run_counters_cancel(struct run *t)
{
    server_counters_cancel(t->counters);
    t->counters = NULL;
}

/* No further candidate has joined for so long: the servers accept no more. */
#define STALLED_MS 6000
/* Connections that are given back when the servers take no more: the maximum, and one of this many. */
#define GIVEN_BACK_MOST 5
#define GIVEN_BACK_PART 4
/* With leave to load the ensemble, its ping may be this many times slower. */
#define LOADED_FACTOR 10
/* The ensemble hangs if a ping has no answer after this many times the limit, and a second. */
#define HANGS_FACTOR 4
/* Checked every 100 ms: after this delay the program itself was stalled, and not the ensemble. */
#define STOOD_STILL_US 500000
/* In total; a shorter stall changes no figure noticeably. */
#define HELD_UP_NOTED_US UINT64_C(1000000)
/* A shorter time without a connection is only a change of server. */
#define AWAY_NOTED_US UINT64_C(500000)

/*
 * A server has refused more connections of this host, so the host's real clients could not reconnect either:
 * some of the run's sessions end to leave them room. None, if the servers may be loaded (--load) or are the
 * run's own; and never so many that fewer than options.least candidates remain.
 */
static size_t give_back(struct run *t, const struct crowd_figures *figures, size_t stand)
{
    if (t->options.load || t->options.own || figures->refused == 0)
        return 0;
    size_t most = figures->connected / GIVEN_BACK_PART;
    size_t beyond = stand > t->options.least ? (stand - t->options.least) / figures->per_session : 0;
    most = most < GIVEN_BACK_MOST ? most : GIVEN_BACK_MOST;
    return crowd_give_back(t->crowd, most < beyond ? most : beyond);
}

/* Some are in line and no more come: most likely the servers accept no more connections. */
bool run_watch_joining(struct run *t, uint64_t now_us, char problem[RUN_WATCH_TEXT])
{
    struct crowd_figures figures;
    crowd_figures(t->crowd, &figures);
    size_t stand = figures.by_state[CANDIDATE_WAITING] + figures.by_state[CANDIDATE_LEADING];
    if (stand + figures.candidates != t->stood_last) {
        t->stood_last = stand + figures.candidates;
        t->stood_last_us = now_us;
    }
    int rate = t->options.rate_per_s;
    uint64_t patience_us = STALLED_MS * 1000 + (rate > 0 ? UINT64_C(3000000) / (uint64_t)rate : 0);
    if (t->stood_last_us == 0 || now_us < t->stood_last_us + patience_us)
        return true;
    if (stand == 0) {
        snprintf(problem, RUN_WATCH_TEXT, "no candidate could join: %.200s",
                 figures.problem ? figures.problem : "the servers accept no connection");
        return false;
    }
    if (stand < t->options.least) {
        snprintf(problem, RUN_WATCH_TEXT,
                 "only %zu of %zu joined, but %zu are expected: the servers' maxClientCnxns is the "
                 "likely reason (raise it, or use --sessions shared:N)",
                 stand, t->options.candidates, t->options.least);
        return false;
    }
    run_note(t,
             "only %zu of %zu joined, and the run continues with these: the servers' maxClientCnxns is the "
             "likely reason (raise it, or use --sessions shared:N)%s%.120s",
             stand, t->options.candidates, figures.problem ? "; " : "",
             figures.problem ? figures.problem : "");
    crowd_settle_for(t->crowd);
    size_t given = give_back(t, &figures, stand);
    if (given > 0)
        run_note(t,
                 "%zu of these connections were closed to leave room for this host's real clients (--load "
                 "keeps them)",
                 given);
    return true;
}

/* ---- the ensemble's pulse ---- */

static int run_watch_compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool stood_still(const struct run *t, uint64_t now_us)
{
    return t->pulse_us != 0 && now_us > t->pulse_us + STOOD_STILL_US;
}

void run_watch_own_pace(struct run *t, uint64_t now_us)
{
    if (stood_still(t, now_us))
        t->held_up_us += now_us - t->pulse_us;
}

static void run_watch_on_ping(void *context, const struct session_answer *answer)
{
    struct run *t = context;
    t->pinging = false;
    uint64_t now_us = uv_hrtime() / 1000;
    if (answer->result == SESSION_LOST || t->ping_void || stood_still(t, now_us))
        return;
    int64_t took_us = (int64_t)(now_us - t->pinged_us);
    histogram_add(&t->ping, took_us);
    t->pings[t->ping_count++ % PINGS_KEPT] = took_us;
}

/* The 99th percentile of the latest hundred; of fewer the second slowest too, since a single slow one says
   nothing of the rest. -1: too few yet. */
static int64_t ping_p99(const struct run *t)
{
    int64_t sorted[PINGS_KEPT];
    if (t->ping_count < PINGS_LEAST)
        return -1;
    size_t count = t->ping_count < PINGS_KEPT ? t->ping_count : PINGS_KEPT;
    memcpy(sorted, t->pings, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, run_watch_compare);
    return sorted[count - 2];
}

/*
 * The ensemble has other clients. Permission to load it (--load) is permission to slow it down, so the limit
 * is only noted then; LOADED_FACTOR times the limit ends the run anyway, since no permission is meant for
 * that. The tool's own cluster has no other clients.
 */
bool run_watch_pulse(struct run *t, uint64_t now_us, char problem[RUN_WATCH_TEXT])
{
    int64_t limit_ms = t->options.settings->inject.stop_above_ping_ms, p99 = ping_p99(t);
    int64_t stop_ms = t->options.load ? LOADED_FACTOR * limit_ms : limit_ms;
    if (t->pinging && stood_still(t, now_us)) {
        t->ping_void = true;
        t->pinged_us = now_us;
    }
    t->pulse_us = now_us;
    int64_t waits_us = t->pinging ? (int64_t)(now_us - t->pinged_us) : 0;
    bool hangs = waits_us > HANGS_FACTOR * stop_ms * 1000 + 1000000;
    if (!t->pinging &&
        session_exists(t->session, t->options.live ? t->path : t->sandbox, false, run_watch_on_ping, t)) {
        t->pinging = true;
        t->ping_void = false;
        t->pinged_us = now_us;
    }
    if (t->options.own || (p99 <= limit_ms * 1000 && !hangs))
        return true;
    if (hangs || p99 > stop_ms * 1000) {
        const char *more = hangs ? " or more" : "";
        long long ms = (long long)((hangs ? waits_us : p99) / 1000);
        if (t->options.load)
            snprintf(problem, RUN_WATCH_TEXT,
                     "the ensemble is overloaded: ping p99 %lld ms%s, above %lld ms, ten times inject: "
                     "{stop_above_ping: %lldms}, which ends a run with --load, too; raise stop_above_ping to "
                     "continue",
                     ms, more, (long long)stop_ms, (long long)limit_ms);
        else
            snprintf(problem, RUN_WATCH_TEXT,
                     "the ensemble answers slowly: ping p99 %lld ms%s, above the %lld ms of inject: "
                     "{stop_above_ping: ...}; --load lets it become ten times that",
                     ms, more, (long long)stop_ms);
        return false;
    }
    if (!t->slow_noted)
        run_note(t,
                 "the ensemble answers slowly: ping p99 %lld ms, above the %lld ms of inject: "
                 "{stop_above_ping: ...}; with --load a run ends at ten times that",
                 (long long)(p99 / 1000), (long long)limit_ms);
    t->slow_noted = true;
    return true;
}

/* ---- the connection ---- */

void run_watch_connection(struct run *t, bool connected)
{
    uint64_t now_us = uv_hrtime() / 1000;
    bool goes_on = t->phase == RUN_JOINING || t->phase == RUN_RUNNING;
    if (t->away_since_us && (connected || !goes_on)) {
        t->away_us += now_us - t->away_since_us;
        t->away_since_us = 0;
    } else if (!t->away_since_us && !connected && goes_on) {
        t->away_since_us = now_us;
        t->away_count++;
    }
}

void run_watch_note_absence(struct run *t)
{
    run_watch_connection(t, true);
    if (t->held_up_us >= HELD_UP_NOTED_US)
        run_note(t,
                 "electop itself was delayed for %.1f s: kills and joins due in that time came late, and "
                 "count from when they were due",
                 (double)t->held_up_us / 1e6);
    if (t->away_us >= AWAY_NOTED_US)
        run_note(t,
                 "no server answered electop's own session for %.1f s%s: in that time a candidate without a "
                 "connection could neither die nor lead",
                 (double)t->away_us / 1e6, t->away_count > 1 ? " in all" : "");
}
