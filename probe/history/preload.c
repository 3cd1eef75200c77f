#include "probe/history/preload.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/clock.h"
#include "probe/history/history.h"
#include "probe/history/recording_file.h"
#include "probe/log.h"
#include "probe/loop_timer.h"

/* A recorder at work is this far behind at most. */
#define BEHIND_US INT64_C(5000000)
#define AGAIN_MS 200
/* After the first snapshot: a recorder may need so long to write its observations; until then only this process
 * has them. Findings may take longer to appear. */
#define PATIENCE_MS 4000
#define FORGET_MS 60000

struct preload {
    struct monitor *monitor;
    char *file;
    struct history *history; /* NULL: forgotten */
    int64_t until_us;        /* that it was read until */
    bool follows;
    uint64_t complete_ms; /* 0: not yet */
    uv_timer_t *timer;
};

/* A newer state in place of the one that the model still points at. False: there is none. */
static bool read_on(struct preload *e)
{
    char *error = NULL;
    int64_t from_us, to_us;
    struct history *history = history_open(e->file, &error);
    const struct model *then = NULL;
    bool begun = history && history_bounds(history, &from_us, &to_us, &error);
    if (begun)
        to_us = history_end_us(history);
    if (begun && (!e->history || to_us != e->until_us))
        then = history_at(history, to_us, &error);
    if (error)
        log_line(LOG_LEVEL_INFO, "the earlier history is not known: %s", error);
    free(error);
    if (!then) {
        history_close(history);
        return false;
    }
    monitor_take_baseline(e->monitor, then, to_us, clock_wall_us() - to_us < BEHIND_US,
                          recording_file_is_taken(e->file));
    history_close(e->history);
    e->history = history;
    e->until_us = to_us;
    return true;
}

static void preload_forget(struct preload *e)
{
    if (!e->history)
        return;
    monitor_take_baseline(e->monitor, NULL, 0, false, false);
    history_close(e->history);
    e->history = NULL;
    if (e->timer)
        uv_timer_stop(e->timer);
}

static void preload_on_timer(uv_timer_t *timer)
{
    struct preload *e = timer->data;
    uint64_t now_ms = uv_now(timer->loop);
    if (!e->complete_ms && monitor_complete(e->monitor))
        e->complete_ms = now_ms;
    if (e->complete_ms && now_ms - e->complete_ms >= FORGET_MS) {
        preload_forget(e);
        return;
    }
    if (!monitor_awaits_baseline(e->monitor))
        return;
    if (e->follows && !(e->complete_ms && now_ms - e->complete_ms >= PATIENCE_MS))
        read_on(e);
    else
        preload_forget(e);
}

struct preload *preload_begin(uv_loop_t *loop, struct monitor *monitor,
                              const struct history_settings *settings)
{
    char *error = NULL;
    if (strcmp(settings->file, "off") == 0)
        return NULL;
    struct preload *e = xcalloc(1, sizeof *e);
    e->monitor = monitor;
    e->file = recording_file_choose(settings, true, &error);
    free(error);
    if (!e->file || !read_on(e)) {
        preload_end(e);
        return NULL;
    }
    e->timer = loop_timer_new(loop, e);
    uv_timer_start(e->timer, preload_on_timer, AGAIN_MS, AGAIN_MS);
    uv_unref((uv_handle_t *)e->timer);
    return e;
}

void preload_follow(struct preload *e)
{
    if (e)
        e->follows = true;
}

bool preload_waits(const struct preload *e)
{
    return e && e->history && e->follows && monitor_awaits_baseline(e->monitor);
}

void preload_end(struct preload *e)
{
    if (!e)
        return;
    preload_forget(e);
    loop_timer_free(e->timer);
    free(e->file);
    free(e);
}
