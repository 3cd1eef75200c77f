#include "probe/loop_timer.h"

#include <stdlib.h>

#include "config/memory.h"

uv_timer_t *loop_timer_new(uv_loop_t *loop, void *owner)
{
    uv_timer_t *timer = xcalloc(1, sizeof *timer);
    uv_timer_init(loop, timer);
    timer->data = owner;
    return timer;
}

void loop_timer_free_handle(uv_handle_t *handle)
{
    free(handle);
}

void loop_timer_free(uv_timer_t *timer)
{
    if (timer)
        uv_close((uv_handle_t *)timer, loop_timer_free_handle);
}
