#include "probe/history/recorder.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/case/case_file.h"
#include "probe/history/name_lookup.h"
#include "probe/history/snapshot.h"
#include "probe/history/schema.h"
#include "probe/history/store.h"
#include "probe/log.h"
#include "probe/loop_timer.h"

/* A snapshot is brought up to date at most for this part of the time. */
#define COST_PART 50
/* With the delays of the store's thread this stays below a second, which is the most that a crash may lose. */
#define DEFER_MOST_US 600000
/* A whole snapshot is written when the patches on the latest are this many times as large, within bounds. */
#define PATCHES_TIMES 4
#define PATCHES_LEAST (256u << 10)
#define PATCHES_MOST (4u << 20)
/* The wall clock was set if it deviates this much from the monotonic one. */
#define CLOCK_SET_US 1000000
#define CHECK_MS 500
/* Bytes that a source faster than the disk may leave unwritten. */
#define PACE_MOST (8u << 20)
/* A crash costs observations of this time, and no event. Those around a change of leader are soon asked for: by a
 * bundle. */
#define OBSERVED_EVERY_US (INT64_C(60) * RECORDER_OBSERVED_MIN * 1000000)
#define CHANGE_HELD_US (INT64_C(30) * 1000000)

/* The latest recorded tenure of an election, and its number in it; 0: none yet. */
struct reported_tenure {
    struct moment from, to;
    bool named, identified;
    uint64_t session;
    int64_t number;
};

/* The facts of an election recorded so far. */
struct reported {
    const struct recipe *recipe;
    enum election_kind kind;
    bool known;
    struct reported_tenure tenure, before; /* before: as it was before this batch, which may be lost */
    uint64_t batch;
};

struct recorder {
    struct monitor *monitor; /* that it is subscribed to; NULL: none */
    const struct model *model;
    struct store *store;
    struct snapshot *snapshot;
    struct case_writer *observed;  /* NULL: observations are not kept */
    int64_t observed_from_us;      /* of those that are not handed on */
    int64_t change_us;             /* the first change of a leader among them; 0: none */
    struct batch *batch;           /* being filled; NULL: none */
    uint64_t batches;              /* begun so far: the number of the latest */
    uint64_t generation;           /* that the snapshot shows */
    uint64_t turn;                 /* ... and its turn */
    int64_t base_us;               /* between the clocks, in this stretch */
    int64_t last_us;               /* of the latest batch in it */
    int64_t alive_us;              /* until when all was handed on */
    bool begun;                    /* a stretch */
    bool from_log;                 /* its observations come from transaction logs */
    const char *why;               /* the next one begins */
    size_t snapshot_size, patches; /* of the chunk */
    uint64_t cost_us, updated_us;  /* of the latest update: processor time, and when, of uv_hrtime() */
    uint64_t lost;                 /* events, in all */
    int64_t lost_us;               /* the first moment that was lost; 0: none, or a new stretch has begun */
    struct recorder_loss loss;     /* the latest; its events while it goes on: those before it */
    uint64_t lost_turn_us;
    struct name_lookup index; /* elections in the list, by cluster and path */
    struct reported *reported;
    size_t reported_count, reported_room;

    uv_prepare_t *prepare;
    uv_check_t *check;
    uv_timer_t *timer; /* looks after the store */
    uv_timer_t *defer;
    char *problem; /* as it was logged */
    char *notice;  /* the latest that was not taken yet */
};

static uint64_t recorder_now_us(void)
{
    return uv_hrtime() / 1000;
}

/* The processor time of this thread: waiting for other threads costs nothing. */
static uint64_t recorder_cpu_us(void)
{
    struct timespec spent;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return (uint64_t)spent.tv_sec * 1000000 + (uint64_t)spent.tv_nsec / 1000;
}

/* ---- events ---- */

static struct batch *batch_of(struct recorder *r, int64_t at_us)
{
    if (!r->batch) {
        r->batch = batch_new();
        r->batch->at_us = at_us;
        r->batch->from_log = r->from_log;
        r->batches++;
    }
    return r->batch;
}

/* Facts of an election that are recorded once, and when they change. */
static struct reported *recorder_reported_of(struct recorder *r, const struct cluster *cluster,
                                             const struct election *e)
{
    char key[1024];
    size_t name = strlen(cluster->name) + 1, length = strlen(e->path);
    int64_t i;
    if (name + length > sizeof key)
        return NULL;
    memcpy(key, cluster->name, name);
    memcpy(key + name, e->path, length);
    if (!name_lookup_find(&r->index, key, name + length, &i)) {
        room_for_one(&r->reported, r->reported_count, &r->reported_room, sizeof *r->reported);
        i = (int64_t)r->reported_count++;
        r->reported[i] = (struct reported){0};
        name_lookup_set(&r->index, key, name + length, i);
    }
    return &r->reported[i];
}

static void report_subject(struct recorder *r, const struct cluster *cluster, const struct election *e)
{
    struct reported *reported = e ? recorder_reported_of(r, cluster, e) : NULL;
    if (reported && reported->known && reported->recipe == e->recipe && reported->kind == e->kind)
        return;
    if (reported) {
        reported->known = true;
        reported->recipe = e->recipe;
        reported->kind = e->kind;
    }
    batch_add_subject(r->batch, cluster, e);
}

void recorder_event(void *context, const struct event *event)
{
    struct recorder *r = context;
    if (r->change_us == 0 && (event->kind == EVENT_LEADER_LOST || event->kind == EVENT_FINDING_RAISED))
        r->change_us = event->at.mono_us;
    if (r->lost_us) {
        r->lost++;
        return;
    }
    if (!batch_of(r, event->at.wall_us))
        return;
    if (event->cluster && event->election)
        report_subject(r, event->cluster, event->election);
    batch_add_event(r->batch, event);
}

void recorder_fact(struct recorder *r, const char *cluster, const struct logged_fact *fact)
{
    if (r->lost_us == 0 && batch_of(r, fact->at.wall_us))
        batch_add_fact(r->batch, cluster, fact);
}

void recorder_from_log(struct recorder *r)
{
    r->from_log = true;
}

/* ---- observations ---- */

static void recorder_on_observation(void *context, const struct observation *o)
{
    struct recorder *r = context;
    if (r->observed_from_us == 0)
        r->observed_from_us = o->at.wall_us;
    case_writer_observe(r->observed, o);
}

/* Lost observations are a gap between blocks. */
static void recorder_take_observed(struct recorder *r, bool all)
{
    const struct moment *now = &r->model->now;
    if (!r->observed || r->observed_from_us == 0 || r->lost_us)
        return;
    bool changed = r->change_us != 0 && now->mono_us - r->change_us >= CHANGE_HELD_US;
    if (!all && !changed && !case_writer_is_due(r->observed, now->mono_us, OBSERVED_EVERY_US))
        return;
    struct batch *batch = batch_of(r, now->wall_us);
    case_writer_take(r->observed, &batch->observed);
    batch->observed_from_us = r->observed_from_us;
    batch->observed_until_us = now->wall_us + monitor_settings(r->monitor)->history.observations_ms * 1000;
    r->observed_from_us = 0;
    r->change_us = 0;
}

static void recorder_keep_observed(struct recorder *r, struct monitor *monitor)
{
    const struct settings *settings = monitor_settings(monitor);
    if (settings->history.observations_ms == 0)
        return;
    r->observed = case_writer_new(settings, r->model);
    case_writer_keep_state(r->observed);
    monitor_observe(monitor, recorder_on_observation, r);
}

/* ---- who led ---- */

static bool same_tenure(const struct reported_tenure *reported, const struct tenure *tenure)
{
    return reported->from.mono_us == tenure->from.mono_us && reported->to.mono_us == tenure->to.mono_us &&
           reported->named == (tenure->name != NULL) && reported->identified == (tenure->identity != NULL) &&
           reported->session == tenure->session;
}

/* A tenure that came from a recording is in it already. */
static bool is_recalled(const struct election *e, const struct tenure *tenure)
{
    return tenure->to.mono_us != 0 && tenure->to.mono_us <= e->own_since.mono_us;
}

static struct tenure own_part(const struct election *e, const struct tenure *tenure)
{
    struct tenure own = *tenure;
    if (e->own_since.mono_us != 0 && own.from.mono_us < e->own_since.mono_us) {
        own.from = e->own_since;
        own.from_exact = false;
    }
    return own;
}

static struct reported_tenure *reported_tenure_of(struct recorder *r, const struct election *e)
{
    struct reported *reported = recorder_reported_of(r, e->cluster, e);
    if (reported && reported->batch != r->batches) {
        reported->before = reported->tenure;
        reported->batch = r->batches;
    }
    return reported ? &reported->tenure : NULL;
}

static void report_tenures(struct recorder *r, const struct election *e)
{
    struct reported_tenure *reported = reported_tenure_of(r, e);
    size_t count = e->tenure_count, first = count;
    if (!reported || count == 0)
        return;
    if (reported->number && same_tenure(reported, election_tenure_at(e, count - 1)))
        return;
    /* The latest recorded one continues or has ended; its leader may have been corrected. */
    while (first > 0 && (reported->number == 0 ||
                         election_tenure_at(e, first - 1)->from.mono_us >= reported->from.mono_us))
        first--;
    if (first == count)
        first = count - 1;
    while (first + 1 < count && is_recalled(e, election_tenure_at(e, first)))
        first++;
    /* So many followed it, all untold, that it is not remembered any more. */
    bool again = reported->number && election_tenure_at(e, first)->from.mono_us <= reported->from.mono_us;
    for (size_t i = first; i < count; i++) {
        const struct tenure *tenure = election_tenure_at(e, i);
        struct tenure own = own_part(e, tenure);
        if (!again || i > first)
            reported->number++;
        batch_add_tenure(r->batch, e, &own, reported->number);
        reported->from = tenure->from;
        reported->to = tenure->to;
        reported->named = tenure->name != NULL;
        reported->identified = tenure->identity != NULL;
        reported->session = tenure->session;
    }
}

/* ---- failovers ---- */

/* A snapshot holds none, and the file may be a new one, or lack those of a loss. Those that logs tell of may be
   in it with the times at which they were observed. */
static void report_known_failovers(struct recorder *r, const struct election *e)
{
    for (size_t i = 0; i < e->failover_count && !r->from_log; i++)
        batch_add_known_failover(r->batch, e, election_failover_at(e, i));
}

/* ---- snapshots ---- */

static size_t patches_most(const struct recorder *r)
{
    size_t most = r->snapshot_size * PATCHES_TIMES;
    return most < PATCHES_LEAST ? PATCHES_LEAST : most > PATCHES_MOST ? PATCHES_MOST : most;
}

static void recorder_report_all(struct recorder *r)
{
    for (size_t i = 0; i < r->model->cluster_count; i++) {
        const struct cluster *cluster = &r->model->clusters[i];
        if (!r->begun)
            report_subject(r, cluster, NULL);
        for (size_t k = 0; k < cluster->election_count; k++) {
            if (r->begun && cluster->elections[k]->turn <= r->turn && cluster->turn <= r->turn)
                continue;
            report_subject(r, cluster, cluster->elections[k]);
            report_tenures(r, cluster->elections[k]);
            if (!r->begun)
                report_known_failovers(r, cluster->elections[k]);
        }
    }
}

static void take_snapshot(struct recorder *r)
{
    struct batch *batch = r->batch;
    if (!r->begun)
        snapshot_clear(r->snapshot);
    snapshot_update(r->snapshot, r->model, &batch->patch);
    size_t patch = batch->patch.length;
    r->patches += patch;
    if (!r->begun || r->patches > patches_most(r)) {
        snapshot_keyframe(r->snapshot, &batch->snapshot);
        batch->begins = r->begun ? BATCH_NEW_CHUNK : BATCH_NEW_STRETCH;
        batch->why = r->why;
        r->snapshot_size = batch->snapshot.length;
        r->patches = 0;
    }
}

/* Nothing of it is left to build upon. why: for the log. */
static void lose(struct recorder *r, uint64_t events, int64_t from_us, const char *why)
{
    if (r->lost_us == 0) {
        r->lost_us = from_us ? from_us : r->model->now.wall_us;
        r->loss = (struct recorder_loss){.from_us = r->lost_us, .events = r->lost};
        log_line(LOG_LEVEL_ERROR, "%s: events are not recorded now", why);
    }
    r->lost += events;
    r->lost_turn_us = recorder_now_us();
    r->begun = false;
    r->why = "went on after a loss";
    for (size_t i = 0; i < r->reported_count; i++) {
        struct reported *reported = &r->reported[i];
        reported->known = false;
        if (reported->batch == r->batches)
            reported->tenure = reported->before;
    }
}

#define TOO_MUCH "the disk cannot keep up"

/* The store writes into another file, which has no earlier events. */
static void watch_file(struct recorder *r)
{
    int64_t from_us;
    uint64_t events;
    if (!store_take_renewal(r->store, &from_us, &events))
        return;
    if (r->begun || r->lost_us)
        lose(r, events, from_us, "another file was begun");
    for (size_t i = 0; i < r->reported_count; i++)
        if (r->reported[i].tenure.number)
            r->reported[i].tenure.to.mono_us = -1; /* unlike any: it is written again */
    r->why = "went on in another file";
    r->lost_turn_us = 0; /* at once */
}

/* All that happened until now was handed on. */
static void live_on(struct recorder *r)
{
    r->alive_us = r->model->now.wall_us;
    store_alive(r->store, r->alive_us);
}

static void recorder_hand_on(struct recorder *r)
{
    struct batch *batch = r->batch;
    size_t events = batch->happening_count;
    bool stretch = batch->begins == BATCH_NEW_STRETCH;
    r->batch = NULL;
    if (batch_is_empty(batch) && !batch->failed) {
        batch_free(batch);
        live_on(r);
        return;
    }
    if (stretch) {
        batch->gap_from_us = r->lost_us;
        batch->ended_us = r->alive_us;
    } else if (batch->at_us < r->last_us)
        batch->at_us = r->last_us; /* lists carry the time at which they were asked for */
    int64_t at_us = batch->at_us;
    if (batch->failed) {
        batch_free(batch);
        lose(r, events, r->alive_us, TOO_MUCH);
    } else if (!store_push(r->store, batch)) {
        lose(r, events, r->alive_us, TOO_MUCH);
    } else {
        r->last_us = at_us;
        if (stretch && r->lost_us) {
            r->loss.to_us = at_us;
            r->loss.events = r->lost - r->loss.events;
            log_line(LOG_LEVEL_WARNING, "the recording continues; %llu events are not in it",
                     (unsigned long long)r->loss.events);
        }
        r->begun = true;
        if (stretch)
            r->lost_us = 0;
        live_on(r);
    }
}

/* A stretch ends where the clock was set. */
static void watch_clock(struct recorder *r)
{
    const struct moment *now = &r->model->now;
    int64_t base_us = now->wall_us - now->mono_us, off_us = base_us - r->base_us;
    if (r->begun && (off_us > CLOCK_SET_US || off_us < -CLOCK_SET_US)) {
        r->begun = false;
        r->why = off_us < 0 ? CLOCK_SET " back" : CLOCK_SET " forward";
        log_line(LOG_LEVEL_WARNING, "%s by %lld s: the recording continues with the new time%s", r->why,
                 (long long)((off_us < 0 ? -off_us : off_us) / 1000000),
                 off_us < 0 ? "; of repeated times it shows only the second, and events keep their order"
                            : "");
        if (r->batch)
            r->batch->at_us = now->wall_us;
    }
    if (!r->begun)
        r->base_us = base_us;
}

static uint64_t update(struct recorder *r, bool at_once)
{
    const struct model *model = r->model;
    if (model->now.wall_us == 0)
        return 0; /* nothing was observed yet */
    watch_file(r);
    watch_clock(r);
    recorder_take_observed(r, false);
    if (r->begun && model->generation == r->generation && !r->batch) {
        live_on(r);
        return 0;
    }
    uint64_t start_us = recorder_now_us(), start_cpu_us = recorder_cpu_us();
    if (r->lost_us && !at_once && start_us - r->lost_turn_us < DEFER_MOST_US)
        return 0; /* the timer looks again */
    if (!batch_of(r, model->now.wall_us))
        return 0;
    uint64_t pause_us = r->cost_us * COST_PART;
    pause_us = pause_us > DEFER_MOST_US ? DEFER_MOST_US : pause_us;
    if (r->begun && !at_once && start_us - r->updated_us < pause_us)
        return (pause_us - (start_us - r->updated_us)) / 1000 + 1;
    if (!r->begun && r->batch->at_us < model->now.wall_us && r->lost_us)
        r->batch->at_us = model->now.wall_us;
    /* Facts of a transaction log alone change nothing in the model. */
    if (!r->begun || model->generation != r->generation || r->batch->happening_count > 0) {
        recorder_report_all(r);
        r->generation = model->generation;
        r->turn = model->turn;
        take_snapshot(r);
    }
    recorder_hand_on(r);
    r->updated_us = recorder_now_us();
    r->cost_us = recorder_cpu_us() - start_cpu_us;
    return 0;
}

uint64_t recorder_turn(struct recorder *r)
{
    return update(r, false);
}

void recorder_flush(struct recorder *r)
{
    update(r, true);
}

void recorder_pace(struct recorder *r)
{
    recorder_flush(r);
    while (recorder_waiting(r) > PACE_MOST)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

bool recorder_settle(struct recorder *r, bool begin)
{
    if (begin) {
        recorder_take_observed(r, true);
        recorder_flush(r);
    }
    return recorder_waiting(r) == 0;
}

size_t recorder_waiting(const struct recorder *r)
{
    return store_waiting(r->store);
}

/* ---- life ---- */

struct recorder *recorder_new(const struct model *model, const char *file, int64_t keep_ms, char **error)
{
    *error = NULL;
    struct recorder *r = xcalloc(1, sizeof *r);
    r->snapshot = snapshot_new();
    r->model = model;
    r->why = "started";
    r->generation = UINT64_MAX;
    r->store = store_open(file, keep_ms, error);
    if (r->store)
        return r;
    snapshot_free(r->snapshot);
    free(r);
    return NULL;
}

static void on_deferred(uv_timer_t *timer);

static void turn(struct recorder *r)
{
    uint64_t again_ms = recorder_turn(r);
    if (again_ms && !uv_is_active((uv_handle_t *)r->defer))
        uv_timer_start(r->defer, on_deferred, again_ms, 0);
}

static void on_deferred(uv_timer_t *timer)
{
    turn(timer->data);
}

static void recorder_on_prepare(uv_prepare_t *handle)
{
    turn(handle->data);
}

static void recorder_on_check(uv_check_t *handle)
{
    turn(handle->data);
}

static void recorder_on_timer(uv_timer_t *timer)
{
    struct recorder *r = timer->data;
    turn(r);
    char *problem = store_problem(r->store);
    if (problem && !r->problem)
        log_line(LOG_LEVEL_ERROR, "%s", problem);
    else if (!problem && r->problem)
        log_line(LOG_LEVEL_WARNING, "%s: can be written again", store_file(r->store));
    free(r->problem);
    r->problem = problem;
    char *notice = store_take_notice(r->store);
    if (notice) {
        log_line(LOG_LEVEL_ERROR, "%s", notice);
        free(r->notice);
        r->notice = notice;
    }
}

struct recorder *recorder_start(uv_loop_t *loop, struct monitor *monitor, const char *file, int64_t keep_ms,
                                char **error)
{
    struct recorder *r = recorder_new(monitor_model(monitor), file, keep_ms, error);
    if (!r)
        return NULL;
    r->prepare = xcalloc(1, sizeof *r->prepare);
    r->check = xcalloc(1, sizeof *r->check);
    r->timer = loop_timer_new(loop, r);
    r->defer = loop_timer_new(loop, r);
    monitor_subscribe(monitor, recorder_event, r);
    r->monitor = monitor;
    recorder_keep_observed(r, monitor);
    uv_prepare_init(loop, r->prepare);
    uv_check_init(loop, r->check);
    r->prepare->data = r->check->data = r;
    uv_prepare_start(r->prepare, recorder_on_prepare);
    uv_check_start(r->check, recorder_on_check);
    uv_timer_start(r->timer, recorder_on_timer, CHECK_MS, CHECK_MS);
    return r;
}

bool recorder_stop(struct recorder *r, char **problem)
{
    if (problem)
        *problem = NULL;
    if (!r)
        return true;
    if (r->monitor) {
        recorder_take_observed(r, true);
        monitor_observe(r->monitor, NULL, NULL);
    }
    recorder_flush(r);
    if (r->monitor)
        monitor_unsubscribe(r->monitor, recorder_event, r);
    char *lost = r->lost_us ? text_format("%s: the disk could not keep up", store_file(r->store)) : NULL;
    bool fine = store_close(r->store, problem);
    if (fine && r->lost_us) {
        fine = false;
        if (problem)
            *problem = store_loss(lost, r->lost_us);
    }
    free(lost);
    if (r->prepare) {
        uv_close((uv_handle_t *)r->prepare, loop_timer_free_handle);
        uv_close((uv_handle_t *)r->check, loop_timer_free_handle);
    }
    loop_timer_free(r->timer);
    loop_timer_free(r->defer);
    batch_free(r->batch);
    char *none;
    case_writer_close(r->observed, &none);
    snapshot_free(r->snapshot);
    name_lookup_free(&r->index);
    free(r->reported);
    free(r->problem);
    free(r->notice);
    free(r);
    return fine;
}

const char *recorder_file(const struct recorder *r)
{
    return store_file(r->store);
}

char *recorder_problem(const struct recorder *r)
{
    return store_problem(r->store);
}

char *recorder_take_notice(struct recorder *r)
{
    char *notice = r->notice ? r->notice : store_take_notice(r->store);
    r->notice = NULL;
    return notice;
}

uint64_t recorder_lost(const struct recorder *r)
{
    return r->lost;
}

bool recorder_last_loss(const struct recorder *r, struct recorder_loss *loss)
{
    *loss = r->loss;
    if (r->lost_us)
        loss->events = r->lost - r->loss.events;
    return loss->from_us != 0;
}
