#include "probe/source/live.h"

#include <time.h>

const char *live_name(const struct live *live)
{
    const char *name = live->cluster->name;
    return name && *name ? name : live->cluster->hosts;
}

struct moment live_now(void)
{
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    return (struct moment){.mono_us = (int64_t)(uv_hrtime() / 1000),
                           .wall_us = (int64_t)wall.tv_sec * 1000000 + wall.tv_nsec / 1000};
}

struct observation live_observation(const struct live *live, enum observation_kind kind, const char *election,
                                    const char *path)
{
    return (struct observation){
        .kind = kind, .at = live_now(), .cluster = live->index, .election = election, .path = path};
}

bool live_watches(const struct live *live, const char *path)
{
    return model_election(live->model, live->index, path) != NULL;
}
