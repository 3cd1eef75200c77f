#include "probe/inject/trial_marks.h"

#include <string.h>

#include "probe/inject/trial_state.h"

#define EVERY_US UINT64_C(1000000)
#define PAUSE_FACTOR 100

static void on_before(void *context, const struct server_mark *marks, size_t count)
{
    struct trial *t = context;
    t->marks_ask = NULL;
    t->mark_count = count;
    memcpy(t->before, marks, count * sizeof *marks);
    for (size_t i = 0; i < count; i++) {
        server_mark_clear(&t->highest[i]);
        server_mark_clear(&t->after[i]);
    }
    t->marks_then(t);
}

void trial_marks_before(struct trial *t, void (*then)(struct trial *))
{
    t->marks_then = then;
    t->marks_ask = server_marks_ask(t->loop, t->options.cluster, on_before, t);
    if (!t->marks_ask)
        then(t);
}

static void on_during(void *context, const struct server_mark *marks, size_t count)
{
    struct trial *t = context;
    uint64_t now_us = uv_hrtime() / 1000, pause_us = PAUSE_FACTOR * (now_us - t->marks_asked_us);
    t->marks_ask = NULL;
    t->marks_next_us = now_us + (pause_us > EVERY_US ? pause_us : EVERY_US);
    for (size_t i = 0; i < count && i < t->mark_count; i++)
        t->looks[i] += server_mark_raise(&t->highest[i], &marks[i]);
}

void trial_marks_during(struct trial *t, uint64_t now_us)
{
    if (t->mark_count == 0 || t->marks_ask || now_us < t->marks_next_us)
        return;
    t->marks_asked_us = now_us;
    t->marks_ask = server_marks_ask(t->loop, t->options.cluster, on_during, t);
    t->marks_next_us = now_us + EVERY_US; /* where nothing could be asked, too */
}

static void on_after(void *context, const struct server_mark *marks, size_t count)
{
    struct trial *t = context;
    t->marks_ask = NULL;
    if (count > t->mark_count)
        count = t->mark_count;
    memcpy(t->after, marks, count * sizeof *marks);
    for (size_t i = 0; i < count; i++)
        if (server_mark_knows(&t->before[i]) && !server_mark_knows(&marks[i]))
            trial_note(t, "%s answered before the run and no more after it: its figures are not known",
                       marks[i].address);
    t->marks_then(t);
}

bool trial_marks_after(struct trial *t, void (*then)(struct trial *))
{
    if (t->mark_count == 0 || t->marks_ended)
        return false;
    t->marks_ended = true;
    trial_marks_cancel(t);
    t->marks_then = then;
    t->marks_ask = server_marks_ask(t->loop, t->options.cluster, on_after, t);
    return t->marks_ask != NULL;
}

void trial_marks_cancel(struct trial *t)
{
    server_marks_cancel(t->marks_ask);
    t->marks_ask = NULL;
}
