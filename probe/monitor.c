#include "probe/monitor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/case/case_file.h"
#include "probe/clock.h"
#include "probe/election/baseline.h"
#include "probe/log.h"
#include "probe/loop_timer.h"
#include "probe/watch/live_cluster.h"

/* A second poll comes no sooner after the first, and further ones after it. */
#define SECOND_POLL_LEAST_MS 5000
/* After a complete snapshot: of a round that takes longer, one server hangs. */
#define COMPARISON_MS 2000
#define AGAIN_MS 1000
/* When it is due is known from all candidates, and monitor_settled() is asked after every event. */
#define DUE_EVERY_MS 250

/* The heartbeat notices that this process was stopped: a beat that comes later than this is a gap. */
#define BEAT_MS 1000
#define GAP_US 1000000

struct subscriber {
    monitor_event_fn fn;
    void *context;
};

struct monitor {
    struct model *model;
    const struct settings *settings;
    struct case_writer *observations; /* or NULL */
    void (*observer)(void *context, const struct observation *);
    void *observer_context;
    struct live_cluster **clusters;
    size_t cluster_count;
    struct subscriber *subscribers;
    size_t subscriber_count;
    uv_timer_t *heartbeat;
    struct moment beat;
    uint64_t complete_ms;          /* when the first snapshot was complete; 0: it is not */
    uint64_t due_ms, due_known_ms; /* of the next poll that may settle something; when that was found out */
    uint64_t asked_ms; /* the second poll, or the latest after it, was asked for then; 0: not yet */
};

static void monitor_on_event(void *context, const struct event *event)
{
    struct monitor *m = context;
    for (size_t i = 0; i < m->subscriber_count; i++)
        m->subscribers[i].fn(m->subscribers[i].context, event);
}

static void beat(struct monitor *m, struct moment now, int64_t gap_us)
{
    m->beat = now;
    for (size_t i = 0; i < m->model->cluster_count; i++) {
        struct observation o = {.kind = OBSERVED_TICK, .at = now, .cluster = (unsigned)i};
        if (gap_us > 0) {
            o.kind = OBSERVED_GAP;
            o.gap_us = gap_us;
        }
        model_observe(m->model, &o);
    }
}

/* Input that arrived meanwhile is no news: this event comes before it is read. */
static bool notice_gap(struct monitor *m, struct moment now)
{
    int64_t since_us = now.mono_us - m->beat.mono_us; /* it may have stopped right after that beat */
    if (since_us < BEAT_MS * 1000 + GAP_US)
        return false;
    log_line(LOG_LEVEL_WARNING, "not running for %lld ms: electop now reads what happened in that time",
             (long long)(since_us / 1000));
    beat(m, now, since_us);
    for (size_t i = 0; i < m->cluster_count; i++)
        live_woke(m->clusters[i]);
    return true;
}

static void on_beat(uv_timer_t *timer)
{
    struct monitor *m = timer->data;
    struct moment now = clock_now();
    if (!notice_gap(m, now))
        beat(m, now, 0);
}

static void monitor_on_reading(void *context)
{
    notice_gap(context, clock_now());
}

static void monitor_on_observation(void *context, const struct observation *o)
{
    struct monitor *m = context;
    if (m->observations)
        case_writer_observe(m->observations, o);
    if (m->observer)
        m->observer(m->observer_context, o);
}

void monitor_observe(struct monitor *m, void (*fn)(void *context, const struct observation *), void *context)
{
    m->observer = fn;
    m->observer_context = context;
    for (unsigned i = 0; fn && i < m->model->cluster_count; i++)
        for (size_t k = 0; k < m->model->clusters[i].election_count; k++) {
            const struct election *e = m->model->clusters[i].elections[k];
            fn(context, &(struct observation){.kind = OBSERVED_ELECTION,
                                              .at = m->beat,
                                              .cluster = i,
                                              .election = e->path,
                                              .path = e->path,
                                              .subject = {e->origin, e->settings}});
        }
}

const struct settings *monitor_settings(const struct monitor *m)
{
    return m->settings;
}

/* False: the case cannot be written. */
static bool monitor_open_case(struct monitor *m, char **error)
{
    m->model->on_observation = monitor_on_observation;
    m->model->observer = m;
    if (m->settings->observe)
        m->observations = case_writer_open(m->settings->observe, m->settings, m->model, error);
    return m->observations || !m->settings->observe;
}

struct monitor *monitor_start(uv_loop_t *loop, const struct settings *settings, char **error)
{
    *error = NULL;
    struct monitor *m = xcalloc(1, sizeof *m);
    m->settings = settings;
    if (!(m->model = model_new(settings, error)) || !monitor_open_case(m, error))
        goto failed;
    m->clusters = xcalloc(settings->cluster_count, sizeof *m->clusters);
    m->heartbeat = loop_timer_new(loop, m);
    m->model->on_event = monitor_on_event;
    m->model->context = m;
    m->beat = clock_now();
    uv_timer_start(m->heartbeat, on_beat, BEAT_MS, BEAT_MS);
    for (size_t i = 0; i < settings->cluster_count; i++) {
        struct live_cluster *live = live_new(loop, m->model, settings, (unsigned)i, error);
        if (!live)
            goto failed;
        live->reading = monitor_on_reading;
        live->context = m;
        m->clusters[m->cluster_count++] = live;
    }
    return m;
failed:
    if (!*error)
        *error = xstrdup("cannot watch; raise the limit of open files (ulimit -n)");
    monitor_stop(m);
    return NULL;
}

void monitor_subscribe(struct monitor *m, monitor_event_fn fn, void *context)
{
    struct subscriber *grown = xreallocarray(m->subscribers, m->subscriber_count + 1, sizeof *grown);
    m->subscribers = grown;
    m->subscribers[m->subscriber_count++] = (struct subscriber){fn, context};
}

void monitor_unsubscribe(struct monitor *m, monitor_event_fn fn, void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->subscriber_count; i++)
        if (m->subscribers[i].fn != fn || m->subscribers[i].context != context)
            m->subscribers[kept++] = m->subscribers[i];
    m->subscriber_count = kept;
}

void monitor_one_poll(struct monitor *m, bool only)
{
    m->model->one_poll = only;
}

const struct model *monitor_model(const struct monitor *m)
{
    return m->model;
}

void monitor_finish(struct monitor *m)
{
    model_finish(m->model);
}

bool monitor_complete(const struct monitor *m)
{
    for (size_t i = 0; i < m->cluster_count; i++)
        if (!live_complete(m->clusters[i]))
            return false;
    return true;
}

bool monitor_compared(struct monitor *m, uint64_t until_ms)
{
    uint64_t now_ms = uv_now(m->heartbeat->loop);
    if (!m->complete_ms)
        m->complete_ms = now_ms;
    for (size_t i = 0; i < m->cluster_count; i++) {
        uint64_t due_ms = live_comparison_due_ms(m->clusters[i]);
        bool hangs = due_ms == 0 && now_ms >= m->complete_ms + COMPARISON_MS;
        if (now_ms < until_ms && due_ms <= until_ms && !hangs)
            return false;
    }
    return true;
}

bool monitor_cut(struct monitor *m)
{
    bool cut = false;
    for (size_t i = 0; i < m->cluster_count; i++)
        cut |= live_cut(m->clusters[i]);
    return cut;
}

bool monitor_discovery(const struct monitor *m, size_t cluster, struct discovery *state)
{
    *state = (struct discovery){0};
    return cluster < m->cluster_count && live_discovery(m->clusters[cluster], state);
}

void monitor_reads(const struct monitor *m, size_t cluster, uint64_t *sent, uint64_t *delayed)
{
    struct read_figures reads = read_account_figures(m->clusters[cluster]->account);
    *sent = reads.sent;
    *delayed = reads.delayed;
}

void monitor_ask(struct monitor *m)
{
    for (size_t i = 0; i < m->cluster_count; i++)
        live_ask(m->clusters[i]);
}

bool monitor_is_asking(const struct monitor *m)
{
    for (size_t i = 0; i < m->cluster_count; i++)
        if (live_is_asking(m->clusters[i]))
            return true;
    return false;
}

void monitor_attend(struct monitor *m)
{
    for (size_t i = 0; i < m->cluster_count; i++)
        live_attend(m->clusters[i]);
}

void monitor_clear(struct monitor *m, const char *cluster, const char *election, const char *candidate)
{
    size_t length = strlen(election) + strlen(candidate) + 2;
    char *path = xmalloc(length);
    snprintf(path, length, "%s/%s", strcmp(election, "/") == 0 ? "" : election, candidate);
    for (size_t i = 0; i < m->model->cluster_count; i++)
        if (strcmp(m->model->clusters[i].name, cluster) == 0)
            model_observe(m->model, &(struct observation){.kind = OBSERVED_CLEARED,
                                                          .at = clock_now(),
                                                          .cluster = (unsigned)i,
                                                          .election = election,
                                                          .path = path});
    free(path);
}

static bool wants_second_poll(const struct monitor *m)
{
    for (unsigned i = 0; i < m->cluster_count; i++)
        if (model_wants_second_poll(m->model, i))
            return true;
    return false;
}

static int64_t earliest_poll_us(const struct monitor *m)
{
    int64_t earliest_us = INT64_MAX, now_us = clock_now().mono_us;
    for (unsigned i = 0; i < m->cluster_count; i++) {
        bool watches; /* each poll lists them */
        int64_t due_us = model_poll_due_us(m->model, i, now_us, &watches);
        if (due_us < earliest_us)
            earliest_us = due_us;
    }
    return earliest_us;
}

/* When the next poll may settle anything; UINT64_MAX: it is settled. */
static uint64_t poll_due_ms(struct monitor *m, uint64_t now_ms)
{
    if (m->due_known_ms != 0 && now_ms - m->due_known_ms < DUE_EVERY_MS)
        return m->due_ms;
    int64_t due_us = earliest_poll_us(m), now_us = clock_now().mono_us;
    uint64_t least_ms = due_us == 0 ? 0 : m->complete_ms + SECOND_POLL_LEAST_MS;
    m->due_known_ms = now_ms;
    m->due_ms = due_us == INT64_MAX ? UINT64_MAX
                                    : now_ms + (due_us > now_us ? (uint64_t)(due_us - now_us) / 1000 + 1 : 0);
    if (m->due_ms < least_ms)
        m->due_ms = least_ms;
    return m->due_ms;
}

/* A path that is gone may be an election without a leader still: for so long after the recording's end. */
#define KNOWN_US INT64_C(86400000000)

/* The recording says of its missing directory that a leader is needed. */
static bool still_needs_leader(const struct election *then)
{
    for (size_t i = 0; i < then->finding_count; i++)
        if (then->findings[i]->code == FINDING_NO_LEADER)
            return true;
    return false;
}

/* A recorder is behind by so much. */
#define LAG_US INT64_C(2000000)

/* Whether it needs a leader still is judged once allow.vacancy has passed; until then nothing says that it does not. */
static bool just_lost(const struct election *then)
{
    const struct failover *last = election_failover_at(then, then->failover_count - 1);
    bool left = last->cause == CAUSE_RESIGNED || last->cause == CAUSE_CLOSED ||
                last->cause == CAUSE_DELETED || last->cause == CAUSE_ENDED;
    return !left && then->settings &&
           clock_now().wall_us < last->lost_at.wall_us + then->settings->allow.vacancy_ms * 1000 + LAG_US;
}

/* One that was found, and that a search may not find again: it has no candidates, or is gone. */
static bool monitor_follows(const struct election *then, bool recent, bool grows, bool taken)
{
    bool open =
        then->failover_count && failover_is_open(election_failover_at(then, then->failover_count - 1));
    /* Its path was named to the recorder, and not to this run: perhaps nobody wants it any more. It is followed for a day
       if somebody led it or its failover is open, as whoever asks at night names no path. Not what was configured as a
       lock, which may be free: this run would not know that it is one. */
    if (then->origin == ORIGIN_CONFIGURED &&
        (!recent || then->settings->kind == KIND_LOCK || !(open || then->state == ELECTION_LED)))
        return false;
    /* However old, this run reports its end, unless a recorder is there that has seen it go: of what a pattern wants
       it goes on telling for a while. */
    bool gone = taken && then->state == ELECTION_ABSENT && !election_is_wanted(then);
    if (open && (!gone || just_lost(then)))
        return true;
    return recent && (then->state == ELECTION_LED || still_needs_leader(then) ||
                      (grows && then->state != ELECTION_ABSENT));
}

static void watch_known(struct monitor *m, const struct cluster *then, bool recent, bool grows, bool taken)
{
    for (size_t i = 0; i < m->cluster_count; i++) {
        if (!baseline_same_cluster(then, &m->model->clusters[i]))
            continue;
        for (size_t k = 0; k < then->election_count; k++)
            if (monitor_follows(then->elections[k], recent, grows, taken))
                live_known(m->clusters[i], then->elections[k]->path);
    }
}

void monitor_take_baseline(struct monitor *m, const struct model *then, int64_t until_us, bool grows,
                           bool taken)
{
    struct moment now = clock_now();
    struct moment until = {now.mono_us - (now.wall_us - until_us), until_us};
    model_take_baseline(m->model, then, until, grows && taken);
    bool recent = then && now.wall_us - until_us < KNOWN_US;
    for (size_t i = 0; then && i < then->cluster_count; i++)
        watch_known(m, &then->clusters[i], recent, grows, taken);
}

bool monitor_awaits_baseline(const struct monitor *m)
{
    return model_awaits_baseline(m->model);
}

void monitor_catch_up(struct monitor *m)
{
    model_catch_up(m->model);
}

/* A leader has just gone: who follows, or whether anybody does, is known in a moment. */
static bool is_electing(const struct monitor *m)
{
    for (size_t i = 0; i < m->model->cluster_count; i++) {
        const struct cluster *cluster = &m->model->clusters[i];
        for (size_t k = 0; cluster->connection == CONNECTION_CONNECTED && k < cluster->election_count; k++)
            if (cluster->elections[k]->fresh && (cluster->elections[k]->state == ELECTION_ELECTING ||
                                                 election_awaits_list(cluster->elections[k])))
                return true;
    }
    return false;
}

bool monitor_settled(struct monitor *m, uint64_t until_ms)
{
    uint64_t now_ms = uv_now(m->heartbeat->loop);
    if (!m->complete_ms) {
        if (!monitor_complete(m))
            return false;
        m->complete_ms = now_ms;
    }
    if (now_ms < until_ms && is_electing(m))
        return false;
    if (!monitor_compared(m, until_ms))
        return false;
    if (now_ms >= until_ms)
        return true;
    /* Lists that came after the first poll may still be read: none is shown in parts. */
    if (!wants_second_poll(m) && !(model_catch_up(m->model) && wants_second_poll(m)))
        return monitor_complete(m);
    if (m->asked_ms && monitor_is_asking(m))
        return false;
    uint64_t due_ms = poll_due_ms(m, now_ms);
    if (due_ms > until_ms)
        return monitor_complete(m);
    /* A poll counts once its connection has answered later: it pings at a third of its timeout. */
    if (now_ms >= due_ms && now_ms - m->asked_ms >= AGAIN_MS) {
        m->asked_ms = now_ms;
        monitor_ask(m);
    }
    return false; /* the heartbeat wakes the loop */
}

static char *monitor_problem;

char *monitor_take_problem(void)
{
    char *problem = monitor_problem;
    monitor_problem = NULL;
    return problem;
}

static void monitor_observe_end(struct monitor *m)
{
    char *problem;
    if (case_writer_close(m->observations, &problem))
        return;
    log_line(LOG_LEVEL_ERROR, "%s", problem);
    free(monitor_problem);
    monitor_problem = problem;
}

void monitor_stop(struct monitor *m)
{
    if (!m)
        return;
    if (m->model) { /* what ends now was not observed */
        m->model->on_event = NULL;
        m->model->on_observation = NULL;
    }
    for (size_t i = 0; i < m->cluster_count; i++)
        live_stop(m->clusters[i]);
    if (m->observations)
        monitor_observe_end(m);
    free(m->clusters);
    loop_timer_free(m->heartbeat);
    free(m->subscribers);
    model_free(m->model);
    free(m);
}
