/*
 * trial.c - see trial.h. The steps stand in the order in which a run takes them; each ends by beginning the
 * next, and whatever goes wrong on the way leads to finish(), from where everything is removed.
 */
#include "probe/inject/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/connect_string.h"
#include "config/text.h"
#include "config/znode_path.h"
#include "probe/clock.h"
#include "probe/inject/crowd_deaths.h"
#include "probe/inject/descriptors.h"
#include "probe/inject/precinct.h"
#include "probe/inject/siblings.h"
#include "probe/inject/trial_crowd.h"
#include "probe/inject/trial_live.h"
#include "probe/inject/trial_look.h"
#include "probe/inject/trial_marks.h"
#include "probe/inject/trial_part.h"
#include "probe/inject/trial_place.h"
#include "probe/inject/trial_report.h"
#include "probe/inject/trial_state.h"
#include "probe/inject/trial_watch.h"
#include "probe/log.h"
#include "probe/loop_timer.h"

#define TICK_MS 100
/* What is left to be removed may take so long, and the last words so long beyond the session's timeout. */
#define REMOVE_MS 20000
/* The parts of the other agents: who ends before its time does not wait for theirs. */
#define GATHER_US (INT64_C(300) * 1000000)
#define PARTS_MS 180000
#define PARTS_EARLY_MS 5000
/* Beyond so many of one host a server with its default of 60 refuses. */
#define CONNECTIONS_USUAL 50

static void begin_making(struct trial *);
static void begin_standing(struct trial *);
static void begin_ending(struct trial *);
static void begin_removing(struct trial *);
static void gather(struct trial *);
static void end(struct trial *);

/* ---- what all steps need ---- */

static void enter(struct trial *t, enum trial_phase phase)
{
    t->phase = phase;
    t->phase_us = uv_hrtime() / 1000;
    if (t->listener.changed)
        t->listener.changed(t->context);
}

static void finish(struct trial *t, enum trial_end why, const char *problem)
{
    if (!t->finishing) {
        t->finishing = true;
        t->end = why;
        snprintf(t->problem, sizeof t->problem, "%s", problem ? problem : "");
        if (problem)
            log_line(LOG_LEVEL_WARNING, "the run ends: %s", problem);
    }
    switch (t->phase) {
    case TRIAL_CONNECTING:
        end(t);
        break;
    case TRIAL_STANDING:
    case TRIAL_RUNNING:
        begin_ending(t);
        break;
    default: /* an answer is on its way, and leads here again */
        break;
    }
}

/* ---- look at the path ---- */

static void on_looked(struct trial *t, enum trial_end why, const char *problem)
{
    if (t->phase == TRIAL_OVER)
        return;
    if (problem)
        finish(t, why, problem);
    if (t->finishing) {
        end(t);
    } else if (t->options.live) {
        enter(t, TRIAL_MAKING); /* nothing: they stand in a place of others */
        trial_marks_before(t, begin_standing);
    } else {
        begin_making(t);
    }
}

static void begin_looking(struct trial *t)
{
    enter(t, TRIAL_LOOKING);
    trial_look(t, on_looked);
}

/* ---- make the run's place ---- */

/* Once: what is found again at the end is the same. */
static void note_kept(struct trial *t)
{
    const char *kept = t->kept_noted ? NULL : precinct_kept(t->precinct);
    char *quoted = kept ? text_quoted(kept) : NULL;
    if (quoted)
        trial_note(t, "%.300s was not made by a run: it stays, and what it stands in", quoted);
    t->kept_noted |= kept != NULL;
    free(quoted);
}

static void on_made(void *context, const char *problem)
{
    struct trial *t = context;
    t->swept = precinct_swept(t->precinct);
    if (t->swept > 0 && !t->agents)
        trial_note(t, "%zu %s over and had left something: removed", t->swept,
                   t->swept == 1 ? "run was" : "runs were");
    note_kept(t);
    if (t->phase == TRIAL_OVER)
        return;
    if (problem)
        finish(t, session_state(t->session) == CONNECTION_CONNECTED ? TRIAL_REFUSED : TRIAL_LOST, problem);
    if (t->finishing) {
        begin_removing(t);
        return;
    }
    if (t->options.join && !t->agents) {
        t->agents = agents_new(t->guard, t->session, t->sandbox, t->run, t->agent, t->options.for_ms);
        if (t->agents)
            enter(t, TRIAL_MEETING);
        else
            on_made(t, "out of memory");
        return;
    }
    trial_marks_before(t, begin_standing);
}

static void note_meeting(struct trial *t)
{
    int64_t ours_ms = t->options.for_ms;
    t->options.for_ms = agents_for_ms(t->agents);
    size_t count = agents_count(t->agents);
    trial_note(t, "%zu agent%s in the run %.64s", count, count == 1 ? "" : "s", t->run);
    if (t->options.for_ms != ours_ms)
        trial_note(
            t, "agents end together: the run goes on for %.1f s, the longest --for of any, and not %.1f s",
            (double)t->options.for_ms / 1e3, (double)ours_ms / 1e3);
}

/* Each tick, until all agents of the run begin. */
static void meet(struct trial *t)
{
    const char *problem;
    enum agents_state state = t->finishing ? AGENTS_READY : agents_meet(t->agents, &problem);
    if (state == AGENTS_FAILED)
        finish(t, TRIAL_REFUSED, problem);
    else if (state == AGENTS_READY && !t->finishing)
        note_meeting(t);
    if (state != AGENTS_WAIT)
        on_made(t, NULL);
}

static void begin_making(struct trial *t)
{
    enter(t, TRIAL_MAKING);
    agent_name(t->agent);
    char *lock = t->layout.lock ? text_format("=%s", strrchr(t->election, '/') + 1) : NULL;
    t->guard =
        t->layout.lock && !lock ? NULL : guard_new_sandbox(t->sandbox, t->run, lock ? lock : trial_name(t));
    free(lock);
    const struct precinct_options options = {.sandbox = t->sandbox,
                                             .run = t->run,
                                             .agent = t->agent,
                                             .joins = t->options.join != NULL,
                                             .within = t->layout.lock ? NULL : t->within};
    t->precinct = t->guard ? precinct_new(t->guard, t->session, &options) : NULL;
    if (t->precinct) {
        precinct_make(t->precinct, on_made, t);
        return;
    }
    finish(t, TRIAL_FAILED, "out of memory; the run cannot be made");
    end(t);
}

/* ---- the crowd ---- */

static void on_stood(void *context)
{
    struct trial *t = context;
    if (!t->finishing)
        enter(t, TRIAL_RUNNING);
}

static void on_failed_over(void *context, const struct crowd_failover *failover)
{
    struct trial *t = context;
    trial_count_failover(t, failover);
    if (t->listener.failed_over)
        t->listener.failed_over(t->context, failover);
}

static void on_withdrawn(struct trial *t, const char *problem)
{
    finish(t, TRIAL_DONE, problem);
}

static void begin_standing(struct trial *t)
{
    struct crowd_options options;
    static const struct crowd_listener listener = {.stood = on_stood, .failed_over = on_failed_over};
    char *error = NULL;
    if (t->finishing) {
        begin_removing(t);
        return;
    }
    trial_crowd_options(t, &options);
    enter(t, TRIAL_STANDING);
    size_t sessions = crowd_sessions(&options);
    if (sessions > CONNECTIONS_USUAL)
        trial_note(
            t,
            "%zu connections of this host: servers take maxClientCnxns of them from one address (60, where "
            "it is not set), shared with the real clients here",
            sessions);
    t->cpu_us = trial_cpu_us();
    if (t->options.live)
        guard_open(t->guard, true);
    if (!descriptors_make_room(sessions, &error))
        finish(t, TRIAL_REFUSED, error ? error : "out of memory");
    else if (!(t->crowd = crowd_new(t->loop, &options, &listener, t)))
        finish(t, TRIAL_FAILED, "out of memory; no crowd can be brought on");
    free(error);
    if (t->crowd && t->options.live && !(t->rules = live_rules_keep(t, on_withdrawn)))
        finish(t, TRIAL_FAILED, "out of memory; nobody may stand");
    if (!t->crowd && t->phase == TRIAL_STANDING)
        begin_removing(t);
}

static void siblings_forget(struct trial *t)
{
    siblings_free(t->siblings);
    t->siblings = NULL;
}

/* Of several agents nobody ends while another's time goes on: their load belongs together. */
static bool is_time_over(struct trial *t, uint64_t ran_us)
{
    return t->phase == TRIAL_RUNNING && t->options.for_ms && ran_us >= (uint64_t)t->options.for_ms * 1000 &&
           (!t->agents || agents_over(t->agents) != AGENTS_WAIT);
}

static void on_tick(uv_timer_t *timer)
{
    struct trial *t = timer->data;
    uint64_t now_us = uv_hrtime() / 1000, in_phase_us = now_us - t->phase_us;
    char problem[TRIAL_WATCH_TEXT];
    if (t->phase > TRIAL_LOOKING)
        siblings_forget(t); /* they have been looked at */
    if (t->phase == TRIAL_CONNECTING && in_phase_us > (uint64_t)t->options.wait_ms * 1000) {
        finish(t, TRIAL_UNREACHED, t->connection_problem[0] ? t->connection_problem : "no server answers");
        return;
    }
    if (t->phase == TRIAL_MEETING)
        meet(t);
    if (t->phase == TRIAL_GATHERING)
        gather(t);
    if (t->phase == TRIAL_REMOVING && in_phase_us > REMOVE_MS * UINT64_C(1000)) {
        end(t);
        return;
    }
    if (t->phase == TRIAL_LOOKING && t->siblings && t->finishing)
        end(t);
    if (t->phase != TRIAL_STANDING && t->phase != TRIAL_RUNNING)
        return;
    trial_watch_own_pace(t, now_us);
    if (t->rules)
        live_rules_tick(t->rules);
    if (t->guard && guard_refused(t->guard) > 0)
        finish(t, TRIAL_FAILED,
               t->options.live
                   ? "the election's directory has changed under us: nothing more is written there"
                   : "the guard refused a write, a defect of this program; see --log FILE");
    else if (is_time_over(t, in_phase_us))
        finish(t, TRIAL_DONE, NULL);
    else if (!trial_watch_pulse(t, now_us, problem))
        finish(t, TRIAL_TOO_SLOW, problem);
    if (t->phase == TRIAL_STANDING && !t->finishing && t->withdrawals == 0 &&
        !trial_watch_standing(t, now_us, problem))
        finish(t, TRIAL_FAILED, problem);
    if (!t->finishing)
        trial_marks_during(t, now_us);
}

/* ---- the end of the crowd ---- */

static void on_ended(void *context, size_t left_to_expire)
{
    struct trial *t = context;
    t->left_to_expire = left_to_expire;
    begin_removing(t);
}

/* The figures first: after it there is no crowd whose load they could show. */
static void begin_ending(struct trial *t)
{
    if (t->crowd)
        crowd_break_off(t->crowd);
    trial_watch_note_absence(t);
    t->ended_us = uv_hrtime() / 1000;
    t->cpu_us = trial_cpu_us() - t->cpu_us;
    t->stood = t->phase == TRIAL_RUNNING;
    t->ran_us = t->ended_us - t->phase_us;
    enter(t, TRIAL_ENDING);
    if (t->crowd)
        crowd_figures(t->crowd, &t->last_figures);
    if (t->crowd)
        crowd_end(t->crowd, on_ended);
    else
        begin_removing(t);
}

/* ---- remove everything ---- */

static void on_removed(void *context, const char *problem)
{
    struct trial *t = context;
    t->removing = false;
    note_kept(t);
    if (t->phase == TRIAL_OVER)
        return;
    if (problem && session_state(t->session) != CONNECTION_CONNECTED)
        return; /* on_state() tries again once it is connected; the tick knows when to give up */
    snprintf(t->left, sizeof t->left, "%s", problem ? problem : "");
    t->removed = !problem;
    end(t);
}

static void on_cleared(struct trial *t, bool seen)
{
    t->removing = false;
    t->removed = seen;
    if (seen || session_state(t->session) == CONNECTION_CONNECTED)
        end(t); /* else on_state() tries again */
}

/* Each tick, until every agent has handed in its part or died. Who has no connection tells only of itself. */
static void gather(struct trial *t)
{
    const char *problem;
    struct trial_report *report = t->part ? NULL : malloc(sizeof *report);
    if (report) {
        trial_report(t, report);
        t->part = trial_part_write(report);
        free(report);
    }
    enum agents_state state =
        t->part && session_state(t->session) == CONNECTION_CONNECTED &&
                uv_hrtime() / 1000 < t->phase_us + GATHER_US
            ? agents_part(t->agents, t->part, t->end == TRIAL_DONE ? PARTS_MS : PARTS_EARLY_MS, &problem)
            : AGENTS_FAILED;
    if (state == AGENTS_WAIT)
        return;
    if (state == AGENTS_READY)
        trial_gather(t);
    else
        trial_note(t, "the parts of the other agents could not be had: this is ours alone");
    enter(t, TRIAL_REMOVING);
    begin_removing(t);
}

static void begin_removing(struct trial *t)
{
    if (t->phase == TRIAL_OVER || t->marks_ended)
        return; /* it ended at once, with an answer still on its way */
    if (t->phase == TRIAL_ENDING && t->agents) {
        enter(t, TRIAL_GATHERING);
        return;
    }
    if (t->phase != TRIAL_REMOVING)
        enter(t, TRIAL_REMOVING);
    if (t->rules && !t->removing && live_rules_clear(t->rules, on_cleared)) {
        t->removing = true;
    } else if (!t->precinct && !t->rules) {
        end(t);
    } else if (t->precinct && !t->removing && session_state(t->session) == CONNECTION_CONNECTED) {
        t->removing = true;
        precinct_remove(t->precinct, on_removed, t);
    }
}

static void on_over(uv_timer_t *timer)
{
    struct trial *t = timer->data;
    session_close(t->session); /* whoever keeps us for our report keeps no connection, and asks nobody */
    t->session = NULL;
    siblings_forget(t);
    trial_marks_cancel(t);
    t->listener.over(t->context);
}

/* Its time was over, but with no server left to ask nobody knows what the servers made of its end. */
static void doubt_end(struct trial *t)
{
    bool hangs = t->removing; /* what is left to be removed has been asked for, and nothing came back */
    if (t->end != TRIAL_DONE || t->removed || (session_state(t->session) == CONNECTION_CONNECTED && !hangs))
        return;
    t->end = TRIAL_LOST;
    snprintf(t->problem, sizeof t->problem,
             "no server answers any more%s%s: how its last candidates fared and what the servers make of its "
             "end is not known",
             t->connection_problem[0] ? ", " : "", t->connection_problem);
    log_line(LOG_LEVEL_WARNING, "the run ends: %s", t->problem);
}

/*
 * The servers are asked last of all: sessions that were closed a moment ago are still theirs, and the
 * directory can only be removed without. Told from a turn of its own: whoever is told may free us then.
 */
static void end(struct trial *t)
{
    if (t->phase == TRIAL_OVER || (t->marks_ended && t->marks_ask))
        return;
    if (t->crowd && trial_marks_after(t, end))
        return;
    doubt_end(t);
    if (t->left[0])
        trial_note(t, "not everything could be removed: %s; the next run removes the rest", t->left);
    else if (t->precinct && !t->removed && t->end != TRIAL_REFUSED)
        trial_note(t, "something may be left in %s; the next run removes it", t->sandbox);
    t->phase = TRIAL_OVER;
    if (t->listener.changed)
        t->listener.changed(t->context);
    uv_timer_start(t->timer, on_over, 0, 0);
}

/* ---- the tool's own session ---- */

static void on_state(void *context, enum connection_state state, bool renewed, const char *problem)
{
    struct trial *t = context;
    if (problem)
        snprintf(t->connection_problem, sizeof t->connection_problem, "%s", problem);
    trial_watch_connection(t, state == CONNECTION_CONNECTED);
    if (state == CONNECTION_CONNECTED) {
        if (t->phase == TRIAL_CONNECTING)
            begin_looking(t);
        else if (t->phase == TRIAL_REMOVING)
            begin_removing(t);
        else if (!renewed && t->rules)
            live_rules_noticed(t->rules); /* what happened meanwhile may have gone unseen */
        else if (renewed)
            finish(t, TRIAL_LOST, "the tool's own session expired");
    } else if (state == CONNECTION_EXPIRED) {
        finish(t, TRIAL_LOST, "the tool's own session expired");
    } else if (state == CONNECTION_REFUSED) {
        finish(t, TRIAL_REFUSED, problem ? problem : "the servers refuse our credentials");
        end(t);
    }
}

static void on_notice(void *context, enum session_notice notice, const char *path)
{
    (void)notice, (void)path; /* the only watches of this session are the live rules' */
    struct trial *t = context;
    if (t->rules)
        live_rules_noticed(t->rules);
}

static void on_connection_failed(void *context, const char *problem)
{
    struct trial *t = context;
    if (problem)
        snprintf(t->connection_problem, sizeof t->connection_problem, "%s", problem);
}

/* ---- for its owner ---- */

struct trial *trial_new(uv_loop_t *loop, const struct trial_options *options,
                        const struct trial_listener *listener, void *context)
{
    struct trial *t = calloc(1, sizeof *t);
    struct connect_string string = {0};
    char *error = NULL;
    if (!t)
        return NULL;
    t->loop = loop;
    t->options = *options;
    t->listener = *listener;
    t->context = context;
    t->wall_ms = clock_wall_us() / 1000;
    if (connect_string_parse(options->cluster->hosts, &string, &error)) {
        t->hosts = strdup(string.hosts);
        t->path = znode_path_join(string.chroot, options->path);
        t->sandbox = znode_path_join(string.chroot, options->settings->inject.sandbox);
        connect_string_free(&string);
    }
    free(error);
    static const struct session_listener ours = {
        .state = on_state, .failed = on_connection_failed, .notice = on_notice};
    const struct session_options session = {.hosts = t->hosts,
                                            .timeout_ms = (int)options->cluster->session_timeout_ms,
                                            .auth_scheme = options->cluster->auth_scheme,
                                            .auth_credential = options->cluster->auth_credential};
    bool good = t->hosts && t->path && t->sandbox && (t->timer = loop_timer_new(loop, t));
    t->session = good ? session_open(loop, &session, &ours, t) : NULL;
    if (!t->session) {
        trial_free(t);
        return NULL;
    }
    enter(t, TRIAL_CONNECTING);
    uv_timer_start(t->timer, on_tick, TICK_MS, TICK_MS);
    return t;
}

void trial_stop(struct trial *t)
{
    if (t->phase != TRIAL_OVER)
        finish(t, TRIAL_STOPPED, NULL);
}

void trial_free(struct trial *t)
{
    if (!t)
        return;
    t->phase = TRIAL_OVER;
    t->finishing = true;
    trial_marks_cancel(t);
    crowd_free(t->crowd);
    siblings_free(t->siblings);
    if (t->session)
        session_close(t->session); /* gives every answer that is owed: before what they belong to goes */
    live_rules_free(t->rules);
    agents_free(t->agents);
    free(t->part);
    free(t->all);
    precinct_free(t->precinct);
    guard_free(t->guard);
    layout_free(&t->layout);
    loop_timer_free(t->timer);
    free(t->hosts);
    free(t->path);
    free(t->sandbox);
    free(t->run);
    free(t->within);
    free(t->election);
    free(t->mark);
    free(t->notes);
    free(t);
}

struct crowd *trial_crowd(const struct trial *t)
{
    return t->phase == TRIAL_STANDING || t->phase == TRIAL_RUNNING ? t->crowd : NULL;
}
