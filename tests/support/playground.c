#include "tests/support/playground.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#define END_WITHIN_MS 5000
/* As in patience.py. */
#define WITHIN_MS 30000
#define STRAIN_MOST 6

static void on_alarm(uv_timer_t *timer)
{
    (void)timer;
}

static void on_ready(void *context, const char *problem)
{
    struct playground *playground = context;
    if (problem)
        fail_msg("%s", problem);
    playground->ready = true;
}

struct private_ensemble *playground_server(struct playground *playground, int connections)
{
    char config[64]; /* without it, twenty ticks are the most */
    snprintf(config, sizeof config, "maxSessionTimeout=%d\n", PLAYGROUND_TIMEOUT_MOST_MS);
    const struct private_ensemble_options options = {
        .servers = 1, .tick_ms = PLAYGROUND_TICK_MS, .connections = connections, .config = config};
    char *error = NULL;
    playground->ready = false;
    struct private_ensemble *sandbox =
        private_ensemble_start(&playground->loop, &options, on_ready, playground, &error);
    if (!sandbox)
        fail_msg("%s", error);
    playground_run_until(playground, playground->ready);
    return sandbox;
}

void playground_begin(struct playground *playground)
{
    uv_loop_init(&playground->loop);
    uv_timer_init(&playground->loop, &playground->alarm);
    uv_timer_start(&playground->alarm, on_alarm, 5, 5);
    playground->sandbox = playground_server(playground, 0);
    playground->guard = guard_new_private();
    assert_non_null(playground->guard);
}

bool playground_end(struct playground *playground)
{
    private_ensemble_stop(playground->sandbox);
    uv_unref((uv_handle_t *)&playground->alarm); /* it turns the loop, and keeps it from nothing */
    uint64_t from = uv_hrtime();
    while (uv_run(&playground->loop, UV_RUN_ONCE) && uv_hrtime() - from < END_WITHIN_MS * UINT64_C(1000000))
        continue;
    uv_close((uv_handle_t *)&playground->alarm, NULL);
    uv_run(&playground->loop, UV_RUN_NOWAIT);
    guard_free(playground->guard);
    bool clean = uv_loop_close(&playground->loop) == 0;
    if (!clean)
        fprintf(stderr, "something is left on the loop\n");
    return clean;
}

uint64_t playground_patience_ns(void)
{
    double load[3] = {0};
    uv_loadavg(load);
    double strain = load[0] / uv_available_parallelism();
    return (uint64_t)(WITHIN_MS * 1e6 * (strain < 1 ? 1 : strain > STRAIN_MOST ? STRAIN_MOST : strain));
}

void playground_run_for(struct playground *playground, int ms)
{
    uint64_t until = uv_hrtime() + (uint64_t)ms * 1000000;
    while (uv_hrtime() < until)
        uv_run(&playground->loop, UV_RUN_ONCE);
}
