#include "probe/inject/run.h"

#include <stdarg.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "config/connect_string.h"
#include "config/memory.h"
#include "config/text.h"
#include "config/znode_path.h"
#include "probe/candidate/naming.h"
#include "probe/clock.h"
#include "probe/election/identity.h"
#include "probe/election/recipe.h"
#include "probe/inject/crowd.h"
#include "probe/inject/layout.h"
#include "probe/inject/live_checks.h"
#include "probe/inject/run_live.h"
#include "probe/inject/agent_results.h"
#include "probe/inject/run_report.h"
#include "probe/inject/run_state.h"
#include "probe/inject/sandbox_dir.h"
#include "probe/log.h"
#include "probe/loop_timer.h"
#include "probe/zookeeper/descriptor_poll.h"

#define NAME_DEFAULT "{hex}-n_"

void run_note(struct run *t, const char *format, ...)
{
    char line[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    char *notes = t->notes ? text_format("%s%s\n", t->notes, line) : text_format("%s\n", line);
    free(t->notes);
    t->notes = notes;
}

const char *run_name(const struct run *t)
{
    return t->options.name ? t->options.name : t->layout.name ? t->layout.name : NAME_DEFAULT;
}

uint64_t run_cpu_us(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
           (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Its guard has let a write through. */
static bool run_wrote(const struct run *t)
{
    return t->guard && guard_is_used(t->guard);
}

bool run_is_inside(const struct run *t)
{
    size_t length = strlen(t->sandbox);
    return strncmp(t->path, t->sandbox, length) == 0 && (t->path[length] == '\0' || t->path[length] == '/');
}

bool run_paths_choose(struct run *t)
{
    if (t->options.live) {
        t->run = xstrdup("");
        t->election = xstrdup(t->path);
        return !run_is_inside(t);
    }
    const char *rest = run_is_inside(t) ? t->path + strlen(t->sandbox) : "";
    if (*rest == '/') {
        t->run = xstrndup(rest + 1, strcspn(rest + 1, "/"));
        const char *below = strchr(rest + 1, '/');
        t->within = below ? xstrdup(below + 1) : NULL;
        t->election = xstrdup(t->path);
        if (strpbrk(t->run, ".{}"))
            return false;
    } else if (t->options.join) { /* each agent has its own election: so its times are exact */
        agent_name(t->agent);
        t->run = xstrdup(t->options.join);
        t->within = xstrdup(t->agent);
        t->election = text_format("%s/%s/%s", t->sandbox, t->run, t->agent);
        if (t->layout.lock)
            return false;
    } else {
        char hex[GUID_HEX_SIZE];
        if (!guid_hex32(hex))
            return false;
        t->run = text_format("run-%.8s", hex);
        t->within = xstrdup("election");
        t->election = text_format("%s/%s/election", t->sandbox, t->run);
    }
    return true;
}

/*
 * The options of a run's crowd: from the options of the run, and from the layout that it copies.
 */

/* Identities stay their owners'; but where the siblings' data is empty, ours is too. */
static const char *candidate_data(const struct run *t)
{
    if (t->options.live)
        return t->layout.data ? IDENTITY_TEST_CANDIDATE : "";
    return t->layout.data ? t->layout.data : IDENTITY_TEST_CANDIDATE;
}

/* Who acknowledges late or never needs an acknowledgement. */
static void ack_choose(struct run *t)
{
    for (size_t i = 0; i < t->options.share_count; i++) {
        const struct behaviour_rules *behaviour = behaviour_rules_of(t->options.shares[i].behaviour);
        if ((behaviour->is_slow || behaviour->is_mute) && !t->ack)
            t->ack = text_format("%s/%s.leader", t->sandbox, t->run);
    }
}

/* Texts are the run's. Adds an acknowledgement first, where a candidate is to acknowledge late or never. */
static struct candidate_options run_candidate(struct run *t)
{
    ack_choose(t);
    return (struct candidate_options){
        .guard = t->guard,
        .election = t->election,
        .lock = t->layout.lock,
        .name = run_name(t),
        .data = candidate_data(t),
        .ack = t->ack,
        .acl = t->layout.acl.count ? &t->layout.acl : NULL,
        .never_leads = t->options.live,
    };
}

static struct session_options run_session(const struct run *t)
{
    const struct cluster_settings *cluster = t->options.cluster;
    return (struct session_options){
        .hosts = t->hosts,
        .timeout_ms = (int)cluster->session_timeout_ms,
        .auth_scheme = cluster->auth_scheme,
        .auth_credential = cluster->auth_credential,
        .security = &cluster->security,
    };
}

static struct crowd *run_crowd_new(struct run *t, const struct candidate_options *candidate,
                                   const struct crowd_listener *listener)
{
    struct session_options session = run_session(t);
    struct run_options options = t->options;
    /* Live: at most the siblings' shortest, so that ours expire as soon as they would. */
    if (options.live && t->live_timeout_ms < session.timeout_ms)
        session.timeout_ms = t->live_timeout_ms;
    if (!options.rate_per_s && !options.load)
        options.rate_per_s = options.settings->inject.creates_per_s;
    return crowd_new(t->loop, &options, &session, candidate, listener, t);
}

/*
 * run.c - see run.h. The steps are in the order in which a run takes them; each ends by beginning the
 * next, and every failure on the way leads to finish(), which removes everything.
 */

#define TICK_MS 100
/* Removing the rest may take so long, and the final requests so long beyond the session's timeout. */
#define REMOVE_MS 20000
/* The parts of the other agents: who ends before its time does not wait for theirs. */
#define GATHER_US (INT64_C(300) * 1000000)
#define PARTS_MS 180000
#define PARTS_EARLY_MS 5000
/* A server with its default of 60 connections per host refuses more than this. */
#define CONNECTIONS_USUAL 50

static void begin_making(struct run *);
static void begin_joining(struct run *);
static void run_begin_last_list(struct run *);
static void begin_ending(struct run *);
static void begin_removing(struct run *);
static void run_gather_one(struct run *);
static void run_end_one(struct run *);

/* ---- shared by all steps ---- */

static void run_enter(struct run *t, enum run_phase phase)
{
    t->phase = phase;
    t->phase_us = uv_hrtime() / 1000;
    if (t->listener.changed)
        t->listener.changed(t->context);
}

static void run_finish(struct run *t, enum run_end why, const char *problem)
{
    if (!t->finishing) {
        t->finishing = true;
        t->end = why;
        snprintf(t->problem, sizeof t->problem, "%s", problem ? problem : "");
        if (problem)
            log_line(LOG_LEVEL_WARNING, "the run ends: %s", problem);
    }
    switch (t->phase) {
    case RUN_CONNECTING:
        run_end_one(t);
        break;
    case RUN_JOINING:
    case RUN_RUNNING:
        begin_ending(t);
        break;
    default: /* an answer is on its way, and leads here again */
        break;
    }
}

/* ---- read the path ---- */

static void run_on_layout(struct run *t, enum run_end why, const char *problem)
{
    if (t->phase == RUN_OVER)
        return;
    if (problem)
        run_finish(t, why, problem);
    if (t->finishing) {
        run_end_one(t);
    } else if (t->options.live) {
        run_enter(t, RUN_MAKING); /* nothing: they join a foreign directory */
        run_counters_before(t, run_begin_last_list);
    } else {
        begin_making(t);
    }
}

static void run_begin_layout(struct run *t)
{
    run_enter(t, RUN_READING);
    run_layout(t, run_on_layout);
}

/* ---- make the run's directory ---- */

/* Once: finding it again at the end adds nothing. */
static void note_kept(struct run *t)
{
    const char *kept = t->kept_noted ? NULL : sandbox_dir_kept(t->sandbox_dir);
    if (!kept)
        return;
    char *quoted = text_quoted(kept);
    run_note(t, "%.300s was not created by a run: it stays, and so do its parents", quoted);
    t->kept_noted = true;
    free(quoted);
}

static void run_on_made(void *context, const char *problem)
{
    struct run *t = context;
    t->swept = sandbox_dir_swept(t->sandbox_dir);
    if (t->swept > 0 && !t->agents)
        run_note(t, "%zu %s over and had left znodes behind: removed", t->swept,
                 t->swept == 1 ? "run was" : "runs were");
    note_kept(t);
    if (t->phase == RUN_OVER)
        return;
    if (problem)
        run_finish(t, session_state(t->session) == CONNECTION_CONNECTED ? RUN_REFUSED : RUN_LOST, problem);
    if (t->finishing) {
        begin_removing(t);
        return;
    }
    if (t->options.join && !t->agents) {
        t->agents = agents_new(t->guard, t->session, t->sandbox, t->run, t->agent, t->options.for_ms);
        run_enter(t, RUN_MEETING);
        return;
    }
    run_counters_before(t, begin_joining);
}

/* Candidates would make it again: without a sign of life, or in another client's directory. */
static void on_run_dir_lost(void *context)
{
    struct run *t = context;
    char text[600];
    char *path = path_join(t->sandbox, t->run), *quoted = text_quoted(path);
    guard_lose(t->guard);
    snprintf(text, sizeof text,
             "%.300s, the directory of this run, or its marker was removed or replaced: electop writes "
             "nothing more there",
             quoted);
    free(quoted);
    free(path);
    run_finish(t, RUN_FAILED, text);
}

static void note_meeting(struct run *t)
{
    int64_t ours_ms = t->options.for_ms;
    t->options.for_ms = agents_for_ms(t->agents);
    size_t count = agents_count(t->agents);
    run_note(t, "%zu agent%s in the run %.64s", count, count == 1 ? "" : "s", t->run);
    if (t->options.for_ms != ours_ms)
        run_note(
            t, "agents end together: the run continues for %.1f s, the longest --for of any, and not %.1f s",
            (double)t->options.for_ms / 1e3, (double)ours_ms / 1e3);
}

/* Each tick, until all agents of the run begin. */
static void meet(struct run *t)
{
    const char *problem;
    enum agents_state state = t->finishing ? AGENTS_READY : agents_meet(t->agents, &problem);
    if (state == AGENTS_FAILED)
        run_finish(t, RUN_REFUSED, problem);
    else if (state == AGENTS_READY && !t->finishing)
        note_meeting(t);
    if (state == AGENTS_WAIT)
        return;
    run_enter(t, RUN_MAKING); /* they meet once, however long the next step takes */
    run_on_made(t, NULL);
}

static void begin_making(struct run *t)
{
    run_enter(t, RUN_MAKING);
    agent_name(t->agent);
    const char *last = strrchr(t->election, '/');
    char *candidates =
        t->layout.lock ? xstrndup(t->election, (size_t)(last - t->election)) : xstrdup(t->election);
    char *names = t->layout.lock ? text_format("=%s", last + 1) : text_copy(run_name(t));
    t->guard = guard_new_sandbox(t->sandbox, t->run, candidates, names);
    free(candidates);
    free(names);
    const struct sandbox_dir_options options = {.sandbox = t->sandbox,
                                                .run = t->run,
                                                .agent = t->agent,
                                                .joins = t->options.join != NULL,
                                                .lost = on_run_dir_lost,
                                                .context = t,
                                                .within = t->layout.lock ? NULL : t->within};
    if (!t->guard) {
        run_finish(t, RUN_FAILED, "the run cannot be created: its name, or the sandbox's name, is not valid");
        run_end_one(t);
        return;
    }
    t->sandbox_dir = sandbox_dir_new(t->guard, t->session, &options);
    sandbox_dir_make(t->sandbox_dir, run_on_made, t);
}

/* ---- the crowd ---- */

static void on_stood(void *context)
{
    struct run *t = context;
    if (!t->finishing)
        run_enter(t, RUN_RUNNING);
}

static void on_failed_over(void *context, const struct crowd_failover *failover)
{
    struct run *t = context;
    run_count_failover(t, failover);
    if (t->listener.failed_over)
        t->listener.failed_over(t->context, failover);
}

static void on_withdrawn(struct run *t, const char *problem)
{
    run_finish(t, RUN_DONE, problem);
}

static void begin_joining(struct run *t)
{
    static const struct crowd_listener listener = {.stood = on_stood, .failed_over = on_failed_over};
    char *error = NULL;
    if (t->finishing) {
        begin_removing(t);
        return;
    }
    const struct candidate_options candidate = run_candidate(t);
    run_enter(t, RUN_JOINING);
    size_t sessions = crowd_sessions(&t->options, &candidate);
    if (sessions > CONNECTIONS_USUAL)
        run_note(
            t,
            "%zu connections of this host: servers take maxClientCnxns of them from one address (60, where "
            "it is not set), shared with the real clients here",
            sessions);
    t->cpu_us = run_cpu_us();
    if (t->options.live)
        guard_open(t->guard, true);
    if (!descriptors_make_room(sessions, &error))
        run_finish(t, RUN_REFUSED, error);
    else if (!(t->crowd = run_crowd_new(t, &candidate, &listener)))
        run_finish(t, RUN_FAILED, "no file descriptor is left; raise the limit of open files (ulimit -n)");
    free(error);
    if (t->crowd && t->options.live)
        t->rules = live_rules_keep(t, on_withdrawn);
    if (!t->crowd && t->phase == RUN_JOINING)
        begin_removing(t);
}

/* Live: the last list before they come. All that was found out about the real ones took its time. */
static void run_on_last_list(void *context, const struct session_answer *answer)
{
    struct run *t = context;
    size_t real = 0;
    if (t->phase == RUN_OVER)
        return;
    guard_see_directory(t->guard, answer->stat);
    for (size_t i = 0; i < answer->count; i++)
        real += recipe_sequence_of(answer->names[i]) != SEQUENCE_NONE;
    if (answer->result == SESSION_LOST)
        run_finish(t, RUN_LOST, "the connection was lost just before the candidates joined; try again");
    else if (answer->result != SESSION_OK || real < LIVE_CHECKS_LEAST || guard_is_lost(t->guard))
        run_finish(t, RUN_REFUSED, "the election changed while electop read it; nothing was started");
    begin_joining(t);
}

static void run_begin_last_list(struct run *t)
{
    if (t->finishing || !session_children(t->session, t->path, false, run_on_last_list, t))
        run_on_last_list(t, &(struct session_answer){.result = SESSION_LOST});
}

static void live_checks_forget(struct run *t)
{
    live_checks_free(t->live_checks);
    t->live_checks = NULL;
}

/* Live: where all gave way before the last had come, their time begins with the first; else they would wait
   for real ones without an end. Of several agents none ends while another's time goes on: their load belongs
   together. */
static bool is_time_over(struct run *t, uint64_t ran_us)
{
    bool counts = t->phase == RUN_RUNNING || (t->phase == RUN_JOINING && t->withdrawals > 0);
    return counts && t->options.for_ms && ran_us >= (uint64_t)t->options.for_ms * 1000 &&
           (!t->agents || agents_over(t->agents) != AGENTS_WAIT);
}

static void run_on_tick(uv_timer_t *timer)
{
    struct run *t = timer->data;
    uint64_t now_us = uv_hrtime() / 1000, in_phase_us = now_us - t->phase_us;
    char problem[RUN_WATCH_TEXT];
    if (t->phase > RUN_READING)
        live_checks_forget(t); /* they have been checked */
    if (t->phase == RUN_CONNECTING && in_phase_us > (uint64_t)t->options.wait_ms * 1000) {
        run_finish(t, RUN_UNREACHED, t->connection_problem[0] ? t->connection_problem : "no server answers");
        return;
    }
    if (t->phase == RUN_MEETING)
        meet(t);
    if (t->phase == RUN_GATHERING)
        run_gather_one(t);
    if (t->phase == RUN_REMOVING && in_phase_us > REMOVE_MS * UINT64_C(1000)) {
        run_end_one(t);
        return;
    }
    if (t->finishing && t->phase < RUN_JOINING && !run_wrote(t))
        run_end_one(t); /* nothing is to be tidied up, whatever a silent server still owes */
    if (t->phase != RUN_JOINING && t->phase != RUN_RUNNING)
        return;
    run_watch_own_pace(t, now_us);
    if (t->rules)
        live_rules_tick(t->rules);
    if (t->options.live && t->guard && (guard_refused(t->guard) > 0 || guard_is_lost(t->guard)))
        run_finish(t, RUN_FAILED,
                   "the election's directory changed during the run: electop writes nothing more there");
    else if (t->guard && guard_refused(t->guard) > 0)
        run_finish(t, RUN_FAILED, "the guard refused a write: this is a bug in electop; see --log FILE");
    else if (is_time_over(t, in_phase_us))
        run_finish(t, RUN_DONE,
                   t->phase == RUN_RUNNING ? NULL : "its time ended before all candidates had joined");
    else if (!run_watch_pulse(t, now_us, problem))
        run_finish(t, RUN_TOO_SLOW, problem);
    if (t->phase == RUN_JOINING && !t->finishing && t->withdrawals == 0 &&
        !run_watch_joining(t, now_us, problem))
        run_finish(t, RUN_FAILED, problem);
    if (!t->finishing)
        run_counters_during(t, now_us);
}

/* ---- the end of the crowd ---- */

static void run_on_ended(void *context, size_t left_to_expire)
{
    struct run *t = context;
    t->left_to_expire = left_to_expire;
    begin_removing(t);
}

/* The figures first: after it there is no crowd whose load they could show. */
static void begin_ending(struct run *t)
{
    if (t->crowd)
        crowd_break_off(t->crowd);
    run_watch_note_absence(t);
    t->ended_us = uv_hrtime() / 1000;
    t->cpu_us = run_cpu_us() - t->cpu_us;
    t->stood = t->phase == RUN_RUNNING;
    t->ran_us = t->ended_us - t->phase_us;
    run_enter(t, RUN_ENDING);
    if (t->crowd)
        crowd_figures(t->crowd, &t->last_figures);
    if (t->crowd)
        crowd_end(t->crowd, run_on_ended);
    else
        begin_removing(t);
}

/* ---- remove everything ---- */

static void on_removed(void *context, const char *problem)
{
    struct run *t = context;
    t->removing = false;
    note_kept(t);
    if (t->phase == RUN_OVER)
        return;
    if (problem && session_state(t->session) != CONNECTION_CONNECTED)
        return; /* on_state() tries again once it is connected; the tick knows when to give up */
    snprintf(t->left, sizeof t->left, "%s", problem ? problem : "");
    t->removed = !problem;
    run_end_one(t);
}

static void run_on_cleared(struct run *t, bool seen)
{
    t->removing = false;
    t->removed = seen;
    if (seen || session_state(t->session) == CONNECTION_CONNECTED)
        run_end_one(t); /* else on_state() tries again */
}

/* Each tick, until every agent has written its results or died. Without a connection it reports only itself.
 */
static void run_gather_one(struct run *t)
{
    const char *problem;
    if (!t->part) {
        struct run_report *report = xmalloc(sizeof *report);
        run_report(t, report);
        t->part = agent_results_write(report);
        free(report);
    }
    enum agents_state state =
        session_state(t->session) == CONNECTION_CONNECTED && uv_hrtime() / 1000 < t->phase_us + GATHER_US
            ? agents_part(t->agents, t->part, t->end == RUN_DONE ? PARTS_MS : PARTS_EARLY_MS, &problem)
            : AGENTS_FAILED;
    if (state == AGENTS_WAIT)
        return;
    if (state == AGENTS_READY)
        run_gather(t);
    else
        run_note(t, "the results of the other agents could not be read: this report covers this agent alone");
    run_enter(t, RUN_REMOVING);
    begin_removing(t);
}

static void begin_removing(struct run *t)
{
    if (t->phase == RUN_OVER || t->counters_ended)
        return; /* it ended at once, with an answer still on its way */
    if (t->phase == RUN_ENDING && t->agents) {
        run_enter(t, RUN_GATHERING);
        return;
    }
    if (t->phase != RUN_REMOVING)
        run_enter(t, RUN_REMOVING);
    if (t->rules && !t->removing && live_rules_clear(t->rules, run_on_cleared)) {
        t->removing = true;
    } else if (!t->sandbox_dir && !t->rules) {
        run_end_one(t);
    } else if (t->sandbox_dir && !t->removing && session_state(t->session) == CONNECTION_CONNECTED) {
        t->removing = true;
        sandbox_dir_remove(t->sandbox_dir, on_removed, t);
    }
}

static void run_on_over(uv_timer_t *timer)
{
    struct run *t = timer->data;
    session_close(t->session); /* a caller that keeps the run for its report keeps no connection */
    t->session = NULL;
    live_checks_forget(t);
    run_counters_cancel(t);
    t->listener.over(t->context);
}

/* Its time was over, but without a reachable server the end of its sessions is not known. */
static void doubt_end(struct run *t)
{
    bool hangs = t->removing; /* the removal was requested, and no answer came */
    if (t->end != RUN_DONE || t->removed || (session_state(t->session) == CONNECTION_CONNECTED && !hangs))
        return;
    t->end = RUN_LOST;
    snprintf(t->problem, sizeof t->problem,
             "no server answers now%s%s: it is not known how the last candidates ended, and what the servers "
             "report after the run",
             t->connection_problem[0] ? ", " : "", t->connection_problem);
    log_line(LOG_LEVEL_WARNING, "the run ends: %s", t->problem);
}

/*
 * The servers' counters are read last, after the directory was removed: it can only be removed once the run's
 * candidates are gone, and until then the servers count their sessions. The end is reported from a separate
 * turn of the loop, because the listener may free the run.
 */
static void run_end_one(struct run *t)
{
    if (t->phase == RUN_OVER || (t->counters_ended && t->counters))
        return;
    if (t->crowd && run_counters_after(t, run_end_one))
        return;
    doubt_end(t);
    if (t->left[0])
        run_note(t, "not everything could be removed: %s; the next run removes the rest", t->left);
    else if (run_wrote(t) && t->sandbox_dir && !t->removed && t->end != RUN_REFUSED)
        run_note(t, "znodes may be left in %s; the next run removes them", t->sandbox);
    else if (t->removed && t->guard && !t->agents)
        run_note(t, "everything removed: %" PRIu64 " znodes", guard_created(t->guard));
    t->phase = RUN_OVER;
    if (t->listener.changed)
        t->listener.changed(t->context);
    uv_timer_start(t->timer, run_on_over, 0, 0);
}

/* ---- the tool's own session ---- */

/* Its sign of life has gone with it: the directory may be another run's by now. */
static void run_expired(struct run *t)
{
    if (t->guard)
        guard_lose(t->guard);
    run_finish(t, RUN_LOST, "electop's own session expired");
}

static void run_on_state(void *context, enum connection_state state, bool renewed, const char *problem)
{
    struct run *t = context;
    if (problem)
        snprintf(t->connection_problem, sizeof t->connection_problem, "%s", problem);
    run_watch_connection(t, state == CONNECTION_CONNECTED);
    if (state == CONNECTION_CONNECTED) {
        if (t->phase == RUN_CONNECTING)
            run_begin_layout(t);
        else if (t->phase == RUN_REMOVING)
            begin_removing(t);
        else if (!renewed && t->rules)
            live_rules_noticed(t->rules); /* events may have gone unseen meanwhile */
        else if (renewed)
            run_expired(t);
    } else if (state == CONNECTION_EXPIRED) {
        run_expired(t);
    } else if (state == CONNECTION_REFUSED) {
        run_finish(t, RUN_REFUSED, problem ? problem : "the servers refuse electop's credentials");
        run_end_one(t);
    }
}

static void run_on_notice(void *context, enum session_notice notice, const char *path)
{
    (void)notice; /* of the live rules' list, or of what keeps a run in the sandbox */
    struct run *t = context;
    if (t->rules)
        live_rules_noticed(t->rules);
    if (t->sandbox_dir)
        sandbox_dir_noticed(t->sandbox_dir, path);
}

static void on_connection_failed(void *context, const char *problem)
{
    struct run *t = context;
    if (problem)
        snprintf(t->connection_problem, sizeof t->connection_problem, "%s", problem);
}

/* ---- for its owner ---- */

/* A copy with the run's own choices. */
static void run_keep_options(struct run *t, const struct run_options *options)
{
    t->options = *options;
    t->options.path = xstrdup(options->path);
    t->options.join = text_copy(options->join);
    t->options.name = text_copy(options->name);
    t->options.seed = uv_hrtime();
    /* One that hangs comes back once its session is over: then it learns of that. */
    t->options.away_ms =
        options->how == KILL_PAUSE ? 2 * (uint64_t)options->cluster->session_timeout_ms : 1000;
}

struct run *run_new(uv_loop_t *loop, const struct run_options *options, const struct run_listener *listener,
                    void *context)
{
    struct run *t = xcalloc(1, sizeof *t);
    struct connect_string string = {0};
    char *error = NULL;
    t->loop = loop;
    run_keep_options(t, options);
    t->listener = *listener;
    t->context = context;
    t->wall_ms = clock_wall_us() / 1000;
    if (connect_string_parse(options->cluster->hosts, &string, &error)) {
        t->hosts = xstrdup(string.hosts);
        t->path = znode_path_join(string.chroot, options->path);
        t->sandbox = znode_path_join(string.chroot, options->settings->inject.sandbox);
        connect_string_free(&string);
    }
    free(error);
    static const struct session_listener ours = {
        .state = run_on_state, .failed = on_connection_failed, .notice = run_on_notice};
    const struct session_options session = run_session(t);
    t->timer = loop_timer_new(loop, t);
    t->session = t->hosts ? session_open(loop, &session, &ours, t) : NULL;
    if (!t->session) {
        run_free(t);
        return NULL;
    }
    run_enter(t, RUN_CONNECTING);
    uv_timer_start(t->timer, run_on_tick, TICK_MS, TICK_MS);
    return t;
}

void run_stop(struct run *t)
{
    if (t->phase != RUN_OVER)
        run_finish(t, RUN_STOPPED, NULL);
}

void run_free(struct run *t)
{
    if (!t)
        return;
    t->phase = RUN_OVER;
    t->finishing = true;
    run_counters_cancel(t);
    crowd_free(t->crowd);
    live_checks_free(t->live_checks);
    if (t->session)
        session_close(t->session); /* gives every answer that is owed: before its context is freed */
    live_rules_free(t->rules);
    agents_free(t->agents);
    free(t->part);
    free(t->all);
    sandbox_dir_free(t->sandbox_dir);
    guard_free(t->guard);
    layout_free(&t->layout);
    loop_timer_free(t->timer);
    free((char *)(uintptr_t)t->options.path);
    free((char *)(uintptr_t)t->options.join);
    free((char *)(uintptr_t)t->options.name);
    free(t->hosts);
    free(t->path);
    free(t->sandbox);
    free(t->run);
    free(t->within);
    free(t->election);
    free(t->ack);
    free(t->notes);
    free(t);
}

struct crowd *run_crowd(const struct run *t)
{
    return t->phase == RUN_JOINING || t->phase == RUN_RUNNING ? t->crowd : NULL;
}
