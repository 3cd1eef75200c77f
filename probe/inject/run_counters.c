#include "probe/inject/run_counters.h"

#include <string.h>

#include "probe/inject/run_state.h"

#define EVERY_US UINT64_C(1000000)
#define PAUSE_FACTOR 100

static void run_counters_on_before(void *context, const struct server_counter *marks, size_t count)
{
    struct run *t = context;
    t->marks_ask = NULL;
    t->mark_count = count;
    memcpy(t->before, marks, count * sizeof *marks);
    for (size_t i = 0; i < count; i++) {
        server_counter_clear(&t->highest[i]);
        server_counter_clear(&t->after[i]);
    }
    t->marks_then(t);
}

void run_counters_before(struct run *t, void (*then)(struct run *))
{
    t->marks_then = then;
    t->marks_ask = server_counters_ask(t->loop, t->options.cluster, run_counters_on_before, t);
    if (!t->marks_ask)
        then(t);
}

static void on_during(void *context, const struct server_counter *marks, size_t count)
{
    struct run *t = context;
    uint64_t now_us = uv_hrtime() / 1000, pause_us = PAUSE_FACTOR * (now_us - t->marks_asked_us);
    t->marks_ask = NULL;
    t->marks_next_us = now_us + (pause_us > EVERY_US ? pause_us : EVERY_US);
    for (size_t i = 0; i < count && i < t->mark_count; i++)
        t->looks[i] += server_counter_raise(&t->highest[i], &marks[i]);
}

void run_counters_during(struct run *t, uint64_t now_us)
{
    if (t->mark_count == 0 || t->marks_ask || now_us < t->marks_next_us)
        return;
    t->marks_asked_us = now_us;
    t->marks_ask = server_counters_ask(t->loop, t->options.cluster, on_during, t);
    t->marks_next_us = now_us + EVERY_US; /* where nothing could be asked, too */
}

static void run_counters_on_after(void *context, const struct server_counter *marks, size_t count)
{
    struct run *t = context;
    t->marks_ask = NULL;
    if (count > t->mark_count)
        count = t->mark_count;
    memcpy(t->after, marks, count * sizeof *marks);
    for (size_t i = 0; i < count; i++)
        if (server_counter_knows(&t->before[i]) && !server_counter_knows(&marks[i]))
            run_note(t, "%s answered before the run and no more after it: its figures are not known",
                     marks[i].address);
    t->marks_then(t);
}

bool run_counters_after(struct run *t, void (*then)(struct run *))
{
    if (t->mark_count == 0 || t->marks_ended)
        return false;
    t->marks_ended = true;
    run_counters_cancel(t);
    t->marks_then = then;
    t->marks_ask = server_counters_ask(t->loop, t->options.cluster, run_counters_on_after, t);
    return t->marks_ask != NULL;
}

void run_counters_cancel(struct run *t)
{
    server_counters_cancel(t->marks_ask);
    t->marks_ask = NULL;
}
