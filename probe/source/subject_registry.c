#include "probe/source/subject_registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/election/registry.h"
#include "probe/source/subject_inner.h"

static void on_registry_entry(void *context, enum session_result result, const struct znode_stat *stat,
                              const void *data, size_t length)
{
    struct subject_read *r = context;
    struct subject *s = r->subject;
    if (subject_answered(s) && result != SESSION_LOST)
        subject_observe_node(s, r->path, result, stat, true, data, length);
    free(r);
}

static void on_registry_exists(void *context, enum session_result result, const struct znode_stat *stat,
                               const void *data, size_t length)
{
    (void)stat, (void)data, (void)length;
    struct subject *s = context;
    if (subject_answered(s) && result == SESSION_OK && s->registry.path)
        subject_registry_list(s); /* it appeared meanwhile */
}

static void on_registry(void *context, enum session_result result, const struct znode_stat *stat,
                        char *const *names, size_t count)
{
    struct subject *s = context;
    s->registry_listing = false;
    if (!subject_answered(s) || result == SESSION_LOST || !s->registry.path)
        return;
    if (result != SESSION_OK) {
        subject_observe_node(s, s->registry.path, result, NULL, false, NULL, 0);
        /* Wait for it to appear. */
        if (result == SESSION_NO_NODE &&
            session_exists(s->lane->session, s->registry.path, true, on_registry_exists, s))
            subject_hold(s);
        return;
    }
    struct observation o = live_observation(s->live, OBSERVED_CHILDREN, s->path, s->registry.path);
    o.children = (struct observed_children){.stat = stat, .names = names, .count = count};
    subject_observe(s, &o);
    for (size_t i = 0; i < count; i++) {
        if (!registry_wants(s->election, names[i]))
            continue;
        size_t size = strlen(s->registry.path) + strlen(names[i]) + 2;
        struct subject_read *r = malloc(sizeof *r + size);
        if (!r)
            return;
        r->subject = s;
        snprintf(r->path, size, "%s/%s", s->registry.path, names[i]);
        if (session_get(s->lane->session, r->path, false, on_registry_entry, r))
            subject_hold(s);
        else
            free(r);
    }
}

void subject_registry_list(struct subject *s)
{
    if (!s->registry_listing && session_children(s->lane->session, s->registry.path, true, on_registry, s)) {
        s->registry_listing = true;
        subject_hold(s);
    }
}

static void on_registry_notice(void *context, enum session_notice notice)
{
    if (notice != NOTICE_CHANGED)
        subject_registry_list(context);
}

void subject_registry_init(struct subject *s)
{
    s->registry = (struct watch_entry){.notice = on_registry_notice, .context = s};
}
