#include "probe/zookeeper/connect_limiter.h"

#include <stdlib.h>

#include "config/memory.h"

/* Out of a backlog of 50, with room for connects of others. */
#define WINDOW 30
/* The pause between attempts while they fail, at first and at most. At most 20 attempts a second. */
#define PAUSE_FIRST_MS 50u
#define PAUSE_LAST_MS 400u
/* The time that all sessions together may use in one turn of the loop before timers are served. */
#define TURN_NS UINT64_C(100000000)

struct connect_limiter {
    uv_timer_t timer;
    uv_prepare_t before; /* input is handled */
    uv_check_t after;
    int open;                                  /* of these handles */
    uint64_t spent_ns;                         /* since the last call of either */
    struct connect_limiter_pass *first, *last; /* the waiting passes */
    struct connect_limiter_figures figures;
    uint64_t closed_until_ms; /* loop time */
};

static void connect_limiter_on_closed(uv_handle_t *handle)
{
    struct connect_limiter *g = handle->data;
    if (--g->open == 0)
        free(g);
}

static void connect_limiter_on_before(uv_prepare_t *before)
{
    struct connect_limiter *g = before->data;
    g->spent_ns = 0;
}

static void connect_limiter_on_after(uv_check_t *after)
{
    struct connect_limiter *g = after->data;
    g->spent_ns = 0;
}

struct connect_limiter *connect_limiter_new(uv_loop_t *loop)
{
    struct connect_limiter *g = xcalloc(1, sizeof *g);
    uv_timer_init(loop, &g->timer);
    uv_prepare_init(loop, &g->before);
    uv_check_init(loop, &g->after);
    g->timer.data = g->before.data = g->after.data = g;
    g->open = 3;
    uv_prepare_start(&g->before, connect_limiter_on_before);
    uv_check_start(&g->after, connect_limiter_on_after);
    uv_unref((uv_handle_t *)&g->before); /* these handles do not keep the loop alive */
    uv_unref((uv_handle_t *)&g->after);
    return g;
}

void connect_limiter_free(struct connect_limiter *g)
{
    if (!g)
        return;
    uv_close((uv_handle_t *)&g->timer, connect_limiter_on_closed);
    uv_close((uv_handle_t *)&g->before, connect_limiter_on_closed);
    uv_close((uv_handle_t *)&g->after, connect_limiter_on_closed);
}

void connect_limiter_spend(struct connect_limiter *g, uint64_t ns)
{
    g->spent_ns += ns;
}

bool connect_limiter_is_spent(const struct connect_limiter *g)
{
    return g->spent_ns > TURN_NS;
}

static void take_out(struct connect_limiter *g, struct connect_limiter_pass *pass)
{
    *(pass->previous ? &pass->previous->next : &g->first) = pass->next;
    *(pass->next ? &pass->next->previous : &g->last) = pass->previous;
    pass->next = pass->previous = NULL;
    pass->waiting = false;
}

static bool is_open(const struct connect_limiter *g)
{
    if (g->figures.failures_in_a_row == 0)
        return g->figures.under_way < WINDOW;
    return g->figures.under_way == 0 && uv_now(g->timer.loop) >= g->closed_until_ms;
}

static void admit(struct connect_limiter *g, struct connect_limiter_pass *pass)
{
    pass->held = true;
    g->figures.attempts++;
    g->figures.under_way++;
}

static void connect_limiter_on_turn(uv_timer_t *timer);

/* Not immediately: the caller may be in the middle of an operation. */
static void connect_limiter_arm(struct connect_limiter *g)
{
    uint64_t now_ms = uv_now(g->timer.loop);
    bool failing = g->figures.failures_in_a_row > 0;
    if (!g->first || (failing ? g->figures.under_way > 0 : g->figures.under_way >= WINDOW))
        return; /* a session inside will call this */
    uint64_t ms = failing && g->closed_until_ms > now_ms ? g->closed_until_ms - now_ms : 0;
    if (!uv_is_active((uv_handle_t *)&g->timer) || uv_timer_get_due_in(&g->timer) != ms)
        uv_timer_start(&g->timer, connect_limiter_on_turn, ms, 0);
}

void connect_limiter_turn(struct connect_limiter *g)
{
    while (g->first && is_open(g)) {
        struct connect_limiter_pass *pass = g->first;
        take_out(g, pass);
        admit(g, pass);
        pass->go(pass->context);
    }
    connect_limiter_arm(g);
}

static void connect_limiter_on_turn(uv_timer_t *timer)
{
    connect_limiter_turn(timer->data);
}

bool connect_limiter_enter(struct connect_limiter *g, struct connect_limiter_pass *pass)
{
    if (pass->held)
        return true;
    if (pass->waiting)
        return false;
    if (!g->first && is_open(g)) {
        admit(g, pass);
        return true;
    }
    pass->waiting = true;
    pass->previous = g->last;
    *(g->last ? &g->last->next : &g->first) = pass;
    g->last = pass;
    connect_limiter_arm(g);
    return false;
}

void connect_limiter_cancel(struct connect_limiter *g, struct connect_limiter_pass *pass)
{
    if (pass->waiting)
        take_out(g, pass);
    if (pass->held) {
        pass->held = false;
        g->figures.under_way--;
    }
    connect_limiter_arm(g);
}

void connect_limiter_leave(struct connect_limiter *g, struct connect_limiter_pass *pass, bool failed)
{
    if (!pass->held)
        return;
    if (!failed) {
        g->figures.failures_in_a_row = 0;
    } else {
        unsigned doublings = g->figures.failures_in_a_row < 3 ? g->figures.failures_in_a_row : 3;
        unsigned ms = PAUSE_FIRST_MS << doublings;
        g->figures.failures++;
        g->figures.failures_in_a_row++;
        g->closed_until_ms = uv_now(g->timer.loop) + (ms < PAUSE_LAST_MS ? ms : PAUSE_LAST_MS);
    }
    connect_limiter_cancel(g, pass);
}

struct connect_limiter_figures connect_limiter_figures(const struct connect_limiter *g)
{
    return g->figures;
}
