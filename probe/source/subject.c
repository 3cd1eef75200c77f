#include "probe/source/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/clock.h"
#include "probe/loop_timer.h"
#include "probe/source/subject_inner.h"
#include "probe/source/subject_reads.h"
#include "probe/source/subject_registry.h"

/* A list of n children is read again at most every n / 40 ms, and at least every quarter of a second. */
#define LIST_CHILDREN_A_MS 40
#define LIST_PAUSE_MOST_MS 250
/* What may not be read is tried again this often. */
#define DENIED_AGAIN_MS 10000
/* After so many dead candidates in a row the list is read rather than the next one. */
#define CHASE_MOST 3
#define PATH_SIZE 8192

static void subject_list(struct subject *s);
static void subject_reconcile(struct subject *s);

/* ---- guarded znodes ---- */

static bool is_candidate(const struct subject *s, const char *path)
{
    size_t length = subject_prefix_length(s);
    return strncmp(path, s->path, length) == 0 && path[length] == '/' && path[length + 1];
}

struct guard_read {
    struct guard *guard;
    bool has_data;
    char path[];
};

static void guard_ask(struct guard *g);
static bool guard_send(struct guard *g, bool data);

static void on_guarded(void *context, enum session_result result, const struct znode_stat *stat,
                       const void *data, size_t length)
{
    struct guard_read *r = context;
    struct guard *g = r->guard;
    struct subject *s = g->subject;
    bool leader = g == &s->guards[GUARD_LEADER];
    g->asked--;
    if (!subject_answered(s) || result == SESSION_LOST) {
        free(r);
        return;
    }
    if (s->waking) { /* asked for before the program stood still */
        if (s->list_dirty && !s->listing)
            subject_list(s);
        free(r);
        return;
    }
    bool current = g->entry.path && strcmp(g->entry.path, r->path) == 0;
    if (g == &s->guards[GUARD_SELF]) {
        if (result == SESSION_OK && current)
            subject_begin(s); /* it has appeared */
    } else if (current && g->refused && !r->has_data) {
        g->armed = result == SESSION_OK || result == SESSION_NO_NODE; /* else until the next connection */
        if (result == SESSION_NO_NODE) {
            subject_observe_node(s, r->path, result, NULL, false, NULL, 0);
            subject_reconcile(s);
        }
    } else if (current && !r->has_data) {
        if (result == SESSION_OK)
            guard_ask(g); /* it has appeared between get and exists */
    } else if (current && result != SESSION_OK && result != SESSION_NO_NODE) {
        /* Who may not read may wait all the same: asking again at once would never end. */
        g->refused = true;
        g->armed = guard_send(g, false);
        subject_observe_node(s, r->path, result, NULL, false, NULL, 0);
        subject_reconcile(s);
    } else if (current && result == SESSION_NO_NODE && !(leader && is_candidate(s, r->path))) {
        g->armed = guard_send(g, false); /* it may appear: a get leaves no watch on what is not there */
        subject_observe_node(s, r->path, result, NULL, false, NULL, 0);
        subject_reconcile(s);
    } else if (current || result == SESSION_NO_NODE) {
        if (result != SESSION_OK && current)
            g->armed = false;
        if (leader && result == SESSION_NO_NODE && ++s->chased >= CHASE_MOST)
            subject_list(s);
        subject_observe_node(s, r->path, result, stat, true, data, length);
        bool directory = result == SESSION_OK && stat->owner == 0 && strcmp(r->path, s->path) == 0;
        if (leader && directory && !s->begun)
            subject_begin(s); /* where a lock was waited for, a directory has appeared: its children stand */
        subject_reconcile(s);
    }
    if (s->list_dirty && !s->listing)
        subject_list(s);
    free(r);
}

/* Either way a watch is set. */
static bool guard_send(struct guard *g, bool data)
{
    struct lane *lane = g->subject->lane;
    size_t size = strlen(g->entry.path) + 1;
    struct guard_read *r = malloc(sizeof *r + size);
    if (!r)
        return false;
    r->guard = g;
    r->has_data = data;
    memcpy(r->path, g->entry.path, size);
    bool sent = data ? session_get(lane->session, r->path, true, on_guarded, r)
                     : session_exists(lane->session, r->path, true, on_guarded, r);
    if (!sent) {
        free(r);
        return false;
    }
    g->asked++;
    subject_hold(g->subject);
    return true;
}

/*
 * Sets the watch and reads the znode, in one request where it is there. A candidate's name never comes
 * back; a lock or a mark may appear, and is then waited for by exists.
 */
static void guard_ask(struct guard *g)
{
    g->refused = false;
    g->armed = guard_send(g, g != &g->subject->guards[GUARD_SELF]);
}

static void guard_set(struct guard *g, const char *path)
{
    struct subject *s = g->subject;
    if (g->entry.path && strcmp(g->entry.path, path) == 0) {
        if (!g->armed && !g->refused)
            guard_ask(g);
        return;
    }
    if (watch_map_put(&s->live->watches, &g->entry, path))
        guard_ask(g);
}

/*
 * The leader is gone: whoever stood behind it is asked for before anybody is told, so that the answer is on
 * its way while the news is written.
 */
static void guard_next_in_line(struct guard *g)
{
    struct subject *s = g->subject;
    char path[PATH_SIZE];
    if (s->election->candidate_count < 2)
        return;
    int length = snprintf(path, sizeof path, "%.*s/%s", (int)subject_prefix_length(s), s->path,
                          s->election->candidates[1]->name);
    if (length > 0 && (size_t)length < sizeof path)
        guard_set(g, path);
}

static void on_guard_notice(void *context, enum session_notice notice)
{
    struct guard *g = context;
    struct subject *s = g->subject;
    if (notice == NOTICE_CHILDREN)
        return;
    g->armed = false;
    if (s->waking)
        return; /* how long ago it happened nobody knows: the list tells */
    if (g == &s->guards[GUARD_SELF]) {
        subject_begin(s);
        return;
    }
    if (notice == NOTICE_DELETED) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s", g->entry.path);
        bool gone_for_good = g == &s->guards[GUARD_LEADER] && is_candidate(s, path);
        if (gone_for_good)
            guard_next_in_line(g);
        subject_observe_node(s, path, SESSION_NO_NODE, NULL, false, NULL, 0);
        if (gone_for_good) {
            s->chased = 0;
            subject_reconcile(s);
            return;
        }
    }
    if (g->entry.path)
        guard_ask(g);
}

static void guard_release(struct guard *g)
{
    watch_map_remove(&g->subject->live->watches, &g->entry);
    g->armed = false;
}

/* ---- the list ---- */

/* Sets the watches and begins the reads that the model's latest state asks for. */
static void subject_reconcile(struct subject *s)
{
    if (s->ended || session_state(s->lane->session) != CONNECTION_CONNECTED)
        return;
    char path[PATH_SIZE];
    for (unsigned i = 0; i < 2; i++) {
        struct guard *g = &s->guards[i];
        if (election_guard(s->election, i, path, sizeof path))
            guard_set(g, path);
        else if (g->entry.path)
            guard_release(g);
    }
    const char *registry = s->election->registry_path;
    if (registry && !s->registry.path && watch_map_put(&s->live->watches, &s->registry, registry))
        subject_registry_list(s);
    if (s->election->unread_first)
        subject_read_soon(s);
}

static void on_timer(uv_timer_t *timer)
{
    struct subject *s = timer->data;
    if (s->begun)
        subject_list(s);
    else
        subject_begin(s);
}

static void on_list(void *context, enum session_result result, const struct znode_stat *stat,
                    char *const *names, size_t count)
{
    struct subject *s = context;
    if (s->late_lists > 0) {
        s->late_lists--;
        subject_answered(s);
        return;
    }
    s->listing = false;
    if (!subject_answered(s) || result == SESSION_LOST)
        return;
    s->waking = false;
    s->listed_ms = uv_now(s->live->loop);
    s->chased = 0;
    if (result == SESSION_OK) {
        s->absent_ms = 0;
        if (s->armed_us == 0)
            s->armed_us = clock_now().mono_us;
        if (s->guards[GUARD_SELF].entry.path)
            guard_release(&s->guards[GUARD_SELF]);
        struct observation o = live_observation(s->live, OBSERVED_CHILDREN, s->path, s->path);
        o.children = (struct observed_children){.stat = stat, .names = names, .count = count};
        subject_observe(s, &o);
        subject_reconcile(s);
        if (s->list_dirty)
            subject_list(s);
        return;
    }
    subject_observe_node(s, s->path, result, NULL, false, NULL, 0);
    s->begun = false;
    if (result == SESSION_NO_NODE) {
        if (!s->absent_ms)
            s->absent_ms = s->listed_ms ? s->listed_ms : 1;
        subject_reconcile(s);
        /* A lock's own guard sees it appear; for everything else, this one. */
        struct guard *leader = &s->guards[GUARD_LEADER];
        if (!leader->entry.path || strcmp(leader->entry.path, s->path) != 0)
            guard_set(&s->guards[GUARD_SELF], s->path);
    } else {
        uv_timer_start(s->timer, on_timer, DENIED_AGAIN_MS, 0);
    }
}

/* Who leads next is being asked: a long list under way would hold up that answer at the server. */
static bool leader_is_asked(const struct subject *s)
{
    return s->guards[GUARD_LEADER].asked > 0 && s->election->state == ELECTION_ELECTING;
}

/* Reads the list and sets its watch: now, or as soon as its length allows. */
static void subject_list(struct subject *s)
{
    if (s->listing || leader_is_asked(s)) {
        s->list_dirty = true;
        return;
    }
    uint64_t now = uv_now(s->live->loop), pause = s->election->candidate_count / LIST_CHILDREN_A_MS;
    if (pause > LIST_PAUSE_MOST_MS)
        pause = LIST_PAUSE_MOST_MS;
    if (s->listed_ms && s->chased < CHASE_MOST && now < s->listed_ms + pause) {
        if (!uv_is_active((uv_handle_t *)s->timer))
            uv_timer_start(s->timer, on_timer, s->listed_ms + pause - now, 0);
        return;
    }
    uv_timer_stop(s->timer);
    s->list_dirty = false;
    if (session_children(s->lane->session, s->path, true, on_list, s)) {
        s->listing = true;
        subject_hold(s);
    }
}

/* ---- the same list, after a sync ---- */

static void subject_confirm(struct subject *s);

static void on_confirmed(void *context, enum session_result result, const struct znode_stat *stat,
                         char *const *names, size_t count)
{
    struct subject *s = context;
    s->confirming = false;
    if (!subject_answered(s) || result != SESSION_OK || s->waking)
        return;
    struct observation o = live_observation(s->live, OBSERVED_CHILDREN, s->path, s->path);
    o.children =
        (struct observed_children){.stat = stat, .names = names, .count = count, .synced_us = s->synced_us};
    subject_observe(s, &o);
    subject_reconcile(s);
    if (s->confirm_again)
        subject_confirm(s);
}

static void on_synced(void *context, enum session_result result, const char *path)
{
    struct subject *s = context;
    (void)path;
    s->confirming = false;
    if (!subject_answered(s) || result != SESSION_OK)
        return;
    if (session_children(s->lane->session, s->path, false, on_confirmed, s)) {
        s->confirming = true;
        subject_hold(s);
    }
}

static void subject_confirm(struct subject *s)
{
    s->confirm_again = s->confirming; /* that one began before what was told by now */
    if (s->confirming || !s->election->suspected || s->absent_ms)
        return;
    s->synced_us = clock_now().mono_us;
    if (session_sync(s->lane->session, s->path, on_synced, s)) {
        s->confirming = true;
        subject_hold(s);
    }
}

void subjects_confirm(struct live *live)
{
    for (size_t i = 0; i < live->subject_count; i++)
        subject_confirm(live->subjects[i]);
}

static void on_children_notice(void *context, enum session_notice notice)
{
    struct subject *s = context;
    if (notice != NOTICE_CHILDREN && notice != NOTICE_DELETED)
        return;
    s->armed_us = 0;
    subject_list(s);
}

size_t subjects_child_watches(const struct live *live, const struct lane *lane, int64_t since_us)
{
    size_t count = 0;
    for (size_t i = 0; i < live->subject_count; i++) {
        const struct subject *s = live->subjects[i];
        count += s->lane == lane && s->armed_us != 0 && s->armed_us <= since_us;
    }
    return count;
}

/* ---- itself ---- */

static void on_self(void *context, enum session_result result, const struct znode_stat *stat,
                    const void *data, size_t length)
{
    struct subject *s = context;
    if (!subject_answered(s) || result != SESSION_OK)
        return; /* absent and denied are told by the list, which is on its way */
    subject_observe_node(s, s->path, result, stat, true, data, length);
}

void subject_begin(struct subject *s)
{
    if (s->ended)
        return;
    for (size_t i = 0; i < GUARD_COUNT; i++)
        s->guards[i].armed = s->guards[i].refused = false;
    s->begun = true;
    s->waking = false;
    s->armed_us = 0;
    s->listing = false;
    s->listed_ms = 0;
    s->chased = 0;
    uv_timer_stop(s->timer);
    election_requeue_unread(s->election);
    if (session_get(s->lane->session, s->path, false, on_self, s))
        subject_hold(s);
    s->registry_listing = false;
    if (s->registry.path)
        subject_registry_list(s);
    subject_list(s);
}

static bool same_path(const char *a, const char *b)
{
    return a && strcmp(a, b) == 0;
}

void subject_unread(struct subject *s, const char *path, bool list)
{
    const struct election *e = s->election;
    bool lock = e->recipe && e->recipe->family == FAMILY_LOCK, itself = same_path(s->path, path);
    bool mark = same_path(e->mark_path, path) || same_path(e->registry_path, path);
    struct observation o = live_observation(s->live, OBSERVED_UNREAD, s->path, path);
    o.unread.mark = !(itself && (list || lock));
    if (mark || !o.unread.mark)
        subject_observe(s, &o);
}

void subject_woke(struct subject *s)
{
    if (session_state(s->lane->session) != CONNECTION_CONNECTED)
        return; /* it is read when that is over */
    s->late_lists += s->listing;
    subject_begin(s);
    s->waking = true;
}

struct subject *subject_new(struct live *live, struct lane *lane, const char *path,
                            const struct election_settings *settings, enum election_origin origin)
{
    struct subject *s = calloc(1, sizeof *s);
    uv_timer_t *timer = loop_timer_new(live->loop, s);
    if (!s || !timer || !(s->path = strdup(path))) {
        free(s);
        loop_timer_free(timer);
        return NULL;
    }
    s->reconcile = subject_reconcile;
    s->live = live;
    s->lane = lane;
    s->origin = origin;
    s->timer = timer;
    s->references = 1;
    s->children = (struct watch_entry){.notice = on_children_notice, .context = s};
    subject_registry_init(s);
    for (size_t i = 0; i < GUARD_COUNT; i++)
        s->guards[i] =
            (struct guard){.subject = s, .entry = {.notice = on_guard_notice, .context = &s->guards[i]}};

    struct observation o = live_observation(live, OBSERVED_ELECTION, s->path, s->path);
    o.subject = (struct observed_election){.origin = origin, .settings = settings};
    subject_observe(s, &o);
    s->election = model_election(live->model, live->index, path);
    if (!s->election || !watch_map_put(&live->watches, &s->children, path)) {
        subject_free(s);
        return NULL;
    }
    if (session_state(lane->session) == CONNECTION_CONNECTED)
        subject_begin(s);
    return s;
}

void subject_free(struct subject *s)
{
    if (!s)
        return;
    s->ended = true;
    watch_map_remove(&s->live->watches, &s->children);
    watch_map_remove(&s->live->watches, &s->registry);
    for (size_t i = 0; i < GUARD_COUNT; i++)
        guard_release(&s->guards[i]);
    loop_timer_free(s->timer);
    struct observation o = live_observation(s->live, OBSERVED_DROPPED, s->path, s->path);
    subject_observe(s, &o);
    s->election = NULL;
    subject_release(s);
}

const char *subject_path(const struct subject *s)
{
    return s->path;
}

struct lane *subject_lane(const struct subject *s)
{
    return s->lane;
}

bool subject_looked(const struct subject *s)
{
    return election_complete(s->election) && !s->election->unread_first && s->reads == 0;
}

bool subject_is_forgotten(const struct subject *s, uint64_t now_ms)
{
    return s->origin != ORIGIN_CONFIGURED && s->absent_ms &&
           now_ms - s->absent_ms > ELECTION_VANISHED_KEPT_MS;
}
