#include "probe/watch/election_watch_state.h"

#include <stdlib.h>
#include <string.h>

void election_watch_hold(struct election_watch *s)
{
    s->references++;
}

void election_watch_release(struct election_watch *s)
{
    if (--s->references > 0)
        return;
    free(s->path);
    free(s);
}

bool election_watch_answered(struct election_watch *s)
{
    bool alive = !s->ended;
    election_watch_release(s);
    return alive;
}

void election_watch_observe(struct election_watch *s, struct observation *o)
{
    model_observe(s->live->model, o);
}

void election_watch_observe_node(struct election_watch *s, const char *path, enum session_result result,
                                 const struct znode_stat *stat, bool has_data, const void *data,
                                 size_t length)
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
    election_watch_observe(s, &o);
}

size_t election_watch_prefix_length(const struct election_watch *s)
{
    return strcmp(s->path, "/") == 0 ? 0 : strlen(s->path);
}
