#include "probe/source/subject_inner.h"

#include <stdlib.h>
#include <string.h>

void subject_hold(struct subject *s)
{
    s->references++;
}

void subject_release(struct subject *s)
{
    if (--s->references > 0)
        return;
    free(s->path);
    free(s);
}

bool subject_answered(struct subject *s)
{
    bool alive = !s->ended;
    subject_release(s);
    return alive;
}

void subject_observe(struct subject *s, struct observation *o)
{
    model_observe(s->live->model, o);
}

void subject_observe_node(struct subject *s, const char *path, enum session_result result,
                          const struct znode_stat *stat, bool has_data, const void *data, size_t length)
{
    enum observation_kind kind = result == SESSION_OK        ? OBSERVED_NODE
                                 : result == SESSION_NO_NODE ? OBSERVED_ABSENT
                                                             : OBSERVED_DENIED;
    if (kind == OBSERVED_DENIED && result != SESSION_DENIED)
        return; /* nothing is known of it */
    struct observation o = live_observation(s->live, kind, s->path, path);
    if (kind == OBSERVED_NODE)
        o.node =
            (struct observed_node){.stat = stat, .has_data = has_data, .data = data, .data_length = length};
    subject_observe(s, &o);
}

size_t subject_prefix_length(const struct subject *s)
{
    return strcmp(s->path, "/") == 0 ? 0 : strlen(s->path);
}
