#include "probe/watch/observer_watch.h"

#include <stdio.h>
#include <stdlib.h>

#include "config/memory.h"
#include "probe/clock.h"
#include "probe/loop_timer.h"

#define OBSERVER_PATH_SIZE 4096
/* The number is announced once it has not changed for CALM_MS. An announcement is replaced at the latest this
 * long after the first change. */
#define CALM_MS 300
#define STALE_MOST_MS 500
/* The retry interval while nothing can be announced, at first and later. */
#define AGAIN_MS 1000
#define AGAIN_LATER_MS 10000
#define AGAIN_SOON 10

struct observer_watch {
    const struct live_cluster *live;
    struct session *session;
    uv_timer_t *timer;
    char shown[OBSERVER_PATH_SIZE]; /* the watched path; "": none */
    bool announces;                 /* the path contains a number */
    unsigned serial, tries;
    uint64_t changed_ms, stale_ms; /* the latest change; the first since the latest announcement, 0: none */
    char *replaced;                /* being removed */
    bool freed;
    unsigned owed; /* answers that refer to this struct */
};

static void observer_on_timer(uv_timer_t *timer);

static void observer_release(struct observer_watch *m)
{
    if (!m->freed || m->owed > 0)
        return;
    free(m->replaced);
    free(m);
}

static void observer_on_ignored(void *context, const struct session_answer *answer)
{
    (void)context, (void)answer;
}

void observer_watch_plainly(const struct live_cluster *live, struct session *session)
{
    char path[OBSERVER_PATH_SIZE];
    snprintf(path, sizeof path, "%s/electop-observer", live->chroot);
    session_exists(session, path, true, observer_on_ignored, NULL);
}

static void observer_replaced(struct observer_watch *m)
{
    free(m->replaced);
    m->replaced = NULL;
}

/* After a lost connection the library sets both watches again, so the timer retries. */
static void observer_on_taken_back(void *context, const struct session_answer *answer)
{
    struct observer_watch *m = context;
    m->owed--;
    if (answer->result != SESSION_LOST)
        observer_replaced(m);
    observer_release(m);
}

static void observer_take_back(struct observer_watch *m)
{
    if (m->replaced && session_unwatch(m->session, m->replaced, observer_on_taken_back, m))
        m->owed++;
}

/* The new watch is set. The old one is removed only now, so that the session always has one. */
static void observer_on_set(void *context, const struct session_answer *answer)
{
    struct observer_watch *m = context;
    m->owed--;
    if (!m->freed && answer->result != SESSION_LOST)
        observer_take_back(m);
    observer_release(m);
}

static void observer_show(struct observer_watch *m, const char *path, bool announces)
{
    char *before = *m->shown ? xstrdup(m->shown) : NULL;
    if (!session_exists(m->session, path, true, observer_on_set, m)) {
        free(before);
        return;
    }
    m->owed++;
    m->replaced = before;
    m->announces = announces;
    snprintf(m->shown, sizeof m->shown, "%s", path);
}

/* Every server with a known version can remove a watch. */
static bool observer_is_replaceable(const struct observer_watch *m)
{
    const struct cluster *cluster = &m->live->model->clusters[m->live->index];
    size_t known = 0;
    for (size_t i = 0; i < cluster->server_count; i++) {
        int major = 0, minor = 0;
        if (!cluster->servers[i].version)
            continue;
        if (sscanf(cluster->servers[i].version, "%d.%d", &major, &minor) != 2 || major < 3 ||
            (major == 3 && minor < 5))
            return false;
        known++;
    }
    return known > 0;
}

static void observer_announce(struct observer_watch *m, bool calm)
{
    char path[OBSERVER_PATH_SIZE];
    if (calm)
        snprintf(path, sizeof path, "%s/electop-%zu-child-watches-%u/electop-observer", m->live->chroot,
                 session_child_watches(m->session, clock_now().mono_us), ++m->serial);
    else
        snprintf(path, sizeof path, "%s/electop-observer", m->live->chroot);
    observer_show(m, path, calm);
    m->stale_ms = 0;
}

static void observer_wait(struct observer_watch *m, uint64_t ms)
{
    uv_timer_start(m->timer, observer_on_timer, ms, 0);
}

static void observer_on_timer(uv_timer_t *timer)
{
    struct observer_watch *m = timer->data;
    uint64_t now_ms = uv_now(m->live->loop), calm_ms = now_ms - m->changed_ms;
    if (session_state(m->session) != CONNECTION_CONNECTED)
        return; /* begun again, or changed, once it is back */
    if (m->owed > 0 || m->replaced) {
        if (m->owed == 0)
            observer_take_back(m);
        observer_wait(m, CALM_MS);
    } else if (!observer_is_replaceable(m)) {
        observer_wait(m, m->tries++ < AGAIN_SOON ? AGAIN_MS : AGAIN_LATER_MS);
    } else if (calm_ms >= CALM_MS) {
        observer_announce(m, true);
    } else {
        if (m->announces && m->stale_ms && now_ms - m->stale_ms >= STALE_MOST_MS)
            observer_announce(m, false);
        observer_wait(m, CALM_MS - calm_ms);
    }
}

void observer_watch_changed(struct observer_watch *m)
{
    m->changed_ms = uv_now(m->live->loop);
    if (!m->stale_ms)
        m->stale_ms = m->changed_ms ? m->changed_ms : 1;
    m->tries = 0;
    if (!uv_is_active((uv_handle_t *)m->timer) || uv_timer_get_due_in(m->timer) > CALM_MS)
        observer_wait(m, CALM_MS);
}

void observer_watch_begin(struct observer_watch *m)
{
    m->shown[0] = '\0';
    observer_replaced(m);
    observer_announce(m, false);
    observer_watch_changed(m);
}

struct observer_watch *observer_watch_new(const struct live_cluster *live, struct session *session)
{
    struct observer_watch *m = xcalloc(1, sizeof *m);
    m->live = live;
    m->session = session;
    m->timer = loop_timer_new(live->loop, m);
    return m;
}

void observer_watch_free(struct observer_watch *m)
{
    if (!m)
        return;
    loop_timer_free(m->timer);
    m->freed = true;
    observer_release(m);
}
