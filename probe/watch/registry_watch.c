#include "probe/watch/registry_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/election/registry.h"

static void registry_watch_list(struct registry_watch *);

static void on_registry_entry(void *context, enum session_result result, const struct znode_stat *stat,
                              const void *data, size_t length)
{
    struct election_watch_read *r = context;
    struct election_watch *s = r->watched;
    if (election_watch_answered(s) && result != SESSION_LOST)
        election_watch_observe_node(s, r->path, result, stat, true, data, length);
    free(r);
}

static void on_registry_exists(void *context, enum session_result result, const struct znode_stat *stat,
                               const void *data, size_t length)
{
    (void)stat, (void)data, (void)length;
    struct registry_watch *w = context;
    if (election_watch_answered(w->watched) && result == SESSION_OK && w->entry.path)
        registry_watch_list(w); /* it appeared meanwhile */
}

static void on_registry(void *context, enum session_result result, const struct znode_stat *stat,
                        char *const *names, size_t count)
{
    struct registry_watch *w = context;
    struct election_watch *s = w->watched;
    w->listing = false;
    if (!election_watch_answered(s) || result == SESSION_LOST || !w->entry.path)
        return;
    if (result != SESSION_OK) {
        election_watch_observe_node(s, w->entry.path, result, NULL, false, NULL, 0);
        /* Wait for it to appear. */
        if (result == SESSION_NO_NODE &&
            session_exists(s->lane->session, w->entry.path, true, on_registry_exists, w))
            election_watch_hold(s);
        return;
    }
    struct observation o = live_observation(s->live, OBSERVED_CHILDREN, s->path, w->entry.path);
    o.children = (struct observed_children){.stat = stat, .names = names, .count = count};
    election_watch_observe(s, &o);
    for (size_t i = 0; i < count; i++) {
        if (!registry_wants(s->election, w == &s->registries[REGISTRY_MEMBERS], names[i]))
            continue;
        size_t size = strlen(w->entry.path) + strlen(names[i]) + 2;
        struct election_watch_read *r = malloc(sizeof *r + size);
        if (!r)
            return;
        r->watched = s;
        snprintf(r->path, size, "%s/%s", w->entry.path, names[i]);
        if (session_get(s->lane->session, r->path, false, on_registry_entry, r))
            election_watch_hold(s);
        else
            free(r);
    }
}

static void registry_watch_list(struct registry_watch *w)
{
    struct election_watch *s = w->watched;
    if (!w->listing && session_children(s->lane->session, w->entry.path, true, on_registry, w)) {
        w->listing = true;
        election_watch_hold(s);
    }
}

void registry_watch_set(struct registry_watch *w, const char *path)
{
    if (path && !w->entry.path && watch_map_put(&w->watched->live->watches, &w->entry, path))
        registry_watch_list(w);
}

void registry_watch_again(struct registry_watch *w)
{
    w->listing = false;
    if (w->entry.path)
        registry_watch_list(w);
}

static void on_registry_notice(void *context, enum session_notice notice)
{
    struct registry_watch *w = context;
    if (notice == NOTICE_CHANGED)
        return;
    registry_watch_list(w);
}

void registry_watch_init(struct registry_watch *w, struct election_watch *s)
{
    *w = (struct registry_watch){.watched = s, .entry = {.notice = on_registry_notice, .context = w}};
}
