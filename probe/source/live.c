#include "probe/source/live.h"

#include <stdio.h>

#include "probe/clock.h"

const char *live_name(const struct live *live)
{
    const char *name = live->cluster->name;
    return name && *name ? name : live->cluster->hosts;
}

/* Whoever has a watch on a path that ends so is an observer. */
#define OBSERVER_MARK "/electop-observer"

static void on_observer_mark(void *context, enum session_result result, const struct znode_stat *stat,
                             const void *data, size_t length)
{
    (void)context, (void)result, (void)stat, (void)data, (void)length;
}

void live_mark_as_observer(const struct live *live, struct session *session)
{
    char mark[4096];
    snprintf(mark, sizeof mark, "%s%s", live->chroot, OBSERVER_MARK);
    session_exists(session, mark, true, on_observer_mark, NULL);
}

struct observation live_observation(const struct live *live, enum observation_kind kind, const char *election,
                                    const char *path)
{
    return (struct observation){
        .kind = kind, .at = clock_now(), .cluster = live->index, .election = election, .path = path};
}

void live_show_denied(struct live *live, const char *path, const struct election_settings *settings,
                      enum election_origin origin, bool denied)
{
    enum observation_kind kinds[] = {OBSERVED_ELECTION, OBSERVED_DENIED, OBSERVED_DROPPED};
    for (size_t i = denied ? 0 : 2; i < (denied ? 2u : 3u); i++) {
        struct observation o = live_observation(live, kinds[i], path, path);
        if (kinds[i] == OBSERVED_ELECTION)
            o.subject = (struct observed_election){.origin = origin, .settings = settings};
        model_observe(live->model, &o);
    }
}

bool live_watches(const struct live *live, const char *path)
{
    return model_election(live->model, live->index, path) != NULL;
}
