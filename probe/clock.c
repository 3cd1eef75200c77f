#include "probe/clock.h"

#include <time.h>
#include <uv.h>

int64_t clock_wall_us(void)
{
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    return (int64_t)wall.tv_sec * 1000000 + wall.tv_nsec / 1000;
}

struct moment clock_now(void)
{
    return (struct moment){.mono_us = (int64_t)(uv_hrtime() / 1000), .wall_us = clock_wall_us()};
}
