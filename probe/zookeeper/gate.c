#include "probe/zookeeper/gate.h"

#include <stdlib.h>

/* Of a backlog of 50, with room for others' connects. */
#define WINDOW 30
/* Between attempts while they fail: at first, and at most. At most 20 a second. */
#define PAUSE_FIRST_MS 50u
#define PAUSE_LAST_MS 400u
/* What all sessions together may do in one turn of the loop before those who wait for a time get theirs. */
#define TURN_NS UINT64_C(100000000)

/* What no server that is there takes to close a connection; and for how long nobody waits for that then. */
#define LEAVE_NS UINT64_C(500000000)
#define HURRY_NS UINT64_C(10000000000)

struct gate {
    uv_timer_t timer;
    uv_prepare_t before; /* what has come in is looked at */
    uv_check_t after;
    int open;                       /* of these handles */
    uint64_t spent_ns;              /* since the last of both */
    struct gate_pass *first, *last; /* who waits */
    struct gate_figures figures;
    uint64_t closed_until_ms; /* loop time */
    uint64_t hurry_until_ns;
};

static void on_closed(uv_handle_t *handle)
{
    struct gate *g = handle->data;
    if (--g->open == 0)
        free(g);
}

static void on_before(uv_prepare_t *before)
{
    struct gate *g = before->data;
    g->spent_ns = 0;
}

static void on_after(uv_check_t *after)
{
    struct gate *g = after->data;
    g->spent_ns = 0;
}

struct gate *gate_new(uv_loop_t *loop)
{
    struct gate *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    uv_timer_init(loop, &g->timer);
    uv_prepare_init(loop, &g->before);
    uv_check_init(loop, &g->after);
    g->timer.data = g->before.data = g->after.data = g;
    g->open = 3;
    uv_prepare_start(&g->before, on_before);
    uv_check_start(&g->after, on_after);
    uv_unref((uv_handle_t *)&g->before); /* they keep no loop alive */
    uv_unref((uv_handle_t *)&g->after);
    return g;
}

void gate_free(struct gate *g)
{
    if (!g)
        return;
    uv_close((uv_handle_t *)&g->timer, on_closed);
    uv_close((uv_handle_t *)&g->before, on_closed);
    uv_close((uv_handle_t *)&g->after, on_closed);
}

void gate_spend(struct gate *g, uint64_t ns)
{
    g->spent_ns += ns;
}

bool gate_is_spent(const struct gate *g)
{
    return g->spent_ns > TURN_NS;
}

void gate_took_leave(struct gate *g, uint64_t ns)
{
    if (ns > LEAVE_NS)
        g->hurry_until_ns = uv_hrtime() + HURRY_NS;
}

bool gate_hurries(const struct gate *g)
{
    return uv_hrtime() < g->hurry_until_ns;
}

static void take_out(struct gate *g, struct gate_pass *pass)
{
    *(pass->previous ? &pass->previous->next : &g->first) = pass->next;
    *(pass->next ? &pass->next->previous : &g->last) = pass->previous;
    pass->next = pass->previous = NULL;
    pass->waiting = false;
}

static bool is_open(const struct gate *g)
{
    if (g->figures.failures_in_a_row == 0)
        return g->figures.under_way < WINDOW;
    return g->figures.under_way == 0 && uv_now(g->timer.loop) >= g->closed_until_ms;
}

static void admit(struct gate *g, struct gate_pass *pass)
{
    pass->held = true;
    g->figures.attempts++;
    g->figures.under_way++;
}

static void on_turn(uv_timer_t *timer);

/* Not at once: whoever leaves is in the middle of something. */
static void arm(struct gate *g)
{
    uint64_t now_ms = uv_now(g->timer.loop);
    bool failing = g->figures.failures_in_a_row > 0;
    if (!g->first || (failing ? g->figures.under_way > 0 : g->figures.under_way >= WINDOW))
        return; /* whoever is inside comes by here */
    uint64_t ms = failing && g->closed_until_ms > now_ms ? g->closed_until_ms - now_ms : 0;
    if (!uv_is_active((uv_handle_t *)&g->timer) || uv_timer_get_due_in(&g->timer) != ms)
        uv_timer_start(&g->timer, on_turn, ms, 0);
}

void gate_turn(struct gate *g)
{
    while (g->first && is_open(g)) {
        struct gate_pass *pass = g->first;
        take_out(g, pass);
        admit(g, pass);
        pass->go(pass->context);
    }
    arm(g);
}

static void on_turn(uv_timer_t *timer)
{
    gate_turn(timer->data);
}

bool gate_enter(struct gate *g, struct gate_pass *pass)
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
    arm(g);
    return false;
}

void gate_cancel(struct gate *g, struct gate_pass *pass)
{
    if (pass->waiting)
        take_out(g, pass);
    if (pass->held) {
        pass->held = false;
        g->figures.under_way--;
    }
    arm(g);
}

void gate_leave(struct gate *g, struct gate_pass *pass, bool failed)
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
    gate_cancel(g, pass);
}

struct gate_figures gate_figures(const struct gate *g)
{
    return g->figures;
}
