#include "tui/dashboard/replay.h"

#include <stdlib.h>
#include <string.h>

#include "config/text.h"

#define SECOND_US INT64_C(1000000)
#define MINUTE_US (60 * SECOND_US)
#define HOUR_US (60 * MINUTE_US)
/* So many events fill the screens; they are looked for in longer and longer times. */
#define EVENTS_WANTED 200
#define FIRST_SPAN_US (10 * SECOND_US)

struct replay {
    char *file;
    struct history *history;
    char *problem;
    struct model model; /* the history's, under a generation that no other moment has */
    uint64_t generation;
    bool there; /* it has gone somewhere */
    int64_t at_us;
    struct event_log *events;
    int pace;
    int64_t played_from_us, played_mono_us; /* where and when playing began */
};

struct replay *replay_new(const char *file)
{
    struct replay *past = calloc(1, sizeof *past);
    if (!past)
        return NULL;
    past->file = strdup(file);
    past->events = event_log_new();
    if (!past->file || !past->events) {
        replay_free(past);
        return NULL;
    }
    return past;
}

void replay_free(struct replay *past)
{
    if (!past)
        return;
    history_close(past->history);
    event_log_free(past->events);
    free(past->problem);
    free(past->file);
    free(past);
}

/* Takes the text. */
static void replay_set_problem(struct replay *past, char *problem)
{
    free(past->problem);
    past->problem = problem;
}

bool replay_open(struct replay *past)
{
    char *error = NULL;
    if (past->history)
        return true;
    past->history = history_open(past->file, &error);
    replay_set_problem(past, error);
    if (!past->history && !past->problem)
        past->problem = strdup("out of memory");
    return past->history != NULL;
}

const char *replay_problem(const struct replay *past)
{
    return past->problem;
}

struct history *replay_history(const struct replay *past)
{
    return past->history;
}

bool replay_bounds(const struct replay *past, int64_t *from_us, int64_t *to_us)
{
    return past->history && history_bounds(past->history, from_us, to_us, NULL);
}

/* The events that led to a moment. */

struct filling {
    struct event_log *log;
    size_t count;
};

static bool replay_on_event(void *context, const struct event *event)
{
    struct filling *filling = context;
    event_log_add(filling->log, event);
    filling->count++;
    return true;
}

/* Unreadable events are missing; the model beside them shows the state. */
static bool read_events(struct replay *past, struct filling *filling, int64_t from_us, int64_t to_us)
{
    char *error = NULL;
    bool read = history_events(past->history, NULL, from_us, to_us, replay_on_event, filling, &error);
    free(error);
    return read;
}

/* Reads the events in between, if there are few; else all anew. */
static bool follow_events(struct replay *past, int64_t from_us, int64_t to_us)
{
    struct filling filling = {.log = past->events};
    return read_events(past, &filling, from_us + 1, to_us + 1);
}

static bool count_event(void *context, const struct event *event)
{
    (void)event;
    size_t *count = context;
    return ++*count < EVENTS_WANTED;
}

/* So long before a moment enough of them happened, by a time that grows; or the beginning. */
static int64_t lead_in_from(struct replay *past, int64_t begin_us, int64_t to_us)
{
    for (int64_t span_us = FIRST_SPAN_US; span_us < to_us - begin_us; span_us *= 8) {
        size_t count = 0;
        char *error = NULL;
        history_events(past->history, NULL, to_us - span_us, to_us + 1, count_event, &count, &error);
        free(error);
        if (count >= EVENTS_WANTED)
            return to_us - span_us;
    }
    return begin_us;
}

static void gather_events(struct replay *past, int64_t begin_us, int64_t to_us)
{
    struct filling filling = {.log = event_log_new()};
    if (!filling.log)
        return;
    if (!read_events(past, &filling, lead_in_from(past, begin_us, to_us), to_us + 1)) {
        event_log_free(filling.log);
        return;
    }
    event_log_free(past->events);
    past->events = filling.log;
}

void replay_tell(struct replay *past, struct event_log *log)
{
    struct filling filling = {.log = log};
    int64_t from_us, to_us;
    if (replay_open(past) && replay_bounds(past, &from_us, &to_us))
        read_events(past, &filling, lead_in_from(past, from_us, to_us), to_us + 1);
}

bool replay_go(struct replay *past, int64_t at_us)
{
    int64_t from_us, to_us;
    char *error = NULL;
    if (!replay_open(past))
        return false;
    if (!history_bounds(past->history, &from_us, &to_us, &error)) {
        replay_set_problem(past, error ? error : strdup("nothing has been recorded yet"));
        return false;
    }
    at_us = at_us < from_us ? from_us : at_us > to_us ? to_us : at_us;
    const struct model *model = history_at(past->history, at_us, &error);
    if (!model) {
        replay_set_problem(past, error ? error : strdup("out of memory"));
        return false;
    }
    replay_set_problem(past, NULL);
    past->model = *model;
    past->model.generation = ++past->generation;
    bool near = past->there && at_us >= past->at_us && at_us - past->at_us <= HOUR_US;
    if (!(near && follow_events(past, past->at_us, at_us)))
        gather_events(past, from_us, at_us);
    past->there = true;
    past->at_us = at_us;
    return true;
}

/* Steps. */

static enum replay_step step_to(struct replay *past, int64_t at_us)
{
    past->pace = 0;
    return replay_go(past, at_us) ? REPLAY_MOVED : REPLAY_FAILED;
}

static enum replay_step step_by(struct replay *past, int64_t us)
{
    int64_t from_us, to_us, before_us = past->at_us;
    if (replay_bounds(past, &from_us, &to_us) && (us < 0 ? past->at_us <= from_us : past->at_us >= to_us))
        return REPLAY_NO_MORE;
    return step_to(past, before_us + us);
}

enum replay_step replay_step(struct replay *past, enum replay_unit unit, bool forward)
{
    /* A failover's moment lies just before its loss, which is therefore not the next one; seen from the loss
       on it is the previous one. */
    const struct history_filter losses = {.events = UINT64_C(1) << EVENT_LEADER_LOST};
    int64_t at_us;
    if (!past->there)
        return REPLAY_NO_MORE;
    switch (unit) {
    case REPLAY_MINUTE:
        return step_by(past, forward ? MINUTE_US : -MINUTE_US);
    case REPLAY_HOUR:
        return step_by(past, forward ? HOUR_US : -HOUR_US);
    case REPLAY_FAILOVER:
        if (!history_step(past->history, &losses, past->at_us + 1, forward, &at_us))
            return REPLAY_NO_MORE;
        return step_to(past, at_us - 1);
    case REPLAY_EVENT:
        break;
    }
    if (!history_step(past->history, NULL, past->at_us, forward, &at_us))
        return REPLAY_NO_MORE;
    return step_to(past, at_us);
}

const struct model *replay_model(const struct replay *past)
{
    return past->there ? &past->model : NULL;
}

const struct event_log *replay_events(const struct replay *past)
{
    return past->events;
}

struct moment replay_now(const struct replay *past)
{
    const struct moment *seen = &past->model.now;
    return (struct moment){.mono_us = seen->mono_us + (past->at_us - seen->wall_us), .wall_us = past->at_us};
}

/* Playing. */

void replay_play(struct replay *past, int pace, int64_t mono_us)
{
    past->pace = pace;
    past->played_from_us = past->at_us;
    past->played_mono_us = mono_us;
}

int replay_pace(const struct replay *past)
{
    return past->pace;
}

bool replay_tick(struct replay *past, int64_t mono_us)
{
    int64_t from_us, to_us;
    if (past->pace == 0 || !replay_bounds(past, &from_us, &to_us))
        return false;
    int64_t at_us = past->played_from_us + (mono_us - past->played_mono_us) * past->pace;
    if (at_us == past->at_us)
        return false;
    bool moved = replay_go(past, at_us);
    if (!moved || at_us >= to_us)
        past->pace = 0;
    return true;
}
