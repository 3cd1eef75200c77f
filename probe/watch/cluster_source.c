#include "probe/watch/cluster_source.h"

#include <stdio.h>

#include "probe/clock.h"
#include "probe/watch/ensemble_watch.h"

const char *live_name(const struct live *live)
{
    const char *name = live->cluster->name;
    return name && *name ? name : live->cluster->hosts;
}

struct observation live_observation(const struct live *live, enum observation_kind kind, const char *election,
                                    const char *path)
{
    return (struct observation){
        .kind = kind, .at = clock_now(), .cluster = live->index, .election = election, .path = path};
}

void live_bad_reply(const struct live *live, const char *server, const char *what)
{
    struct observation o = live_observation(live, OBSERVED_BAD_REPLY, NULL, NULL);
    const char *known = live->servers ? servers_name(live->servers, server) : NULL;
    o.bad_reply = (struct observed_bad_reply){.address = known ? known : server, .what = what};
    model_observe(live->model, &o);
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
