#include "tui/dashboard/replay.h"

#include <stdio.h>
#include <stdlib.h>

#include "config/memory.h"
#include "config/text.h"
#include "config/times.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"

#define SECOND_US INT64_C(1000000)
#define MINUTE_US (60 * SECOND_US)
#define HOUR_US (60 * MINUTE_US)
/* This many events fill the screens; they are searched for in longer and longer periods. */
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
    struct replay *past = xcalloc(1, sizeof *past);
    past->file = xstrdup(file);
    past->events = event_log_new();
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
    return past->history != NULL;
}

const char *replay_problem(const struct replay *past)
{
    return past->problem;
}

const char *replay_file(const struct replay *past)
{
    return past->file;
}

struct history *replay_history(const struct replay *past)
{
    return past->history;
}

/* From the first thing recorded to the last; false: nothing is. */
static bool replay_bounds(const struct replay *past, int64_t *from_us, int64_t *to_us)
{
    return past->history && history_bounds(past->history, from_us, to_us, NULL);
}

/* The events that led to a moment. */

static bool replay_on_event(void *log, const struct event *event)
{
    event_log_add(log, event);
    return true;
}

/* Unreadable events are missing; the model beside them shows the state. */
static bool read_events(struct replay *past, struct event_log *log, int64_t from_us, int64_t to_us)
{
    char *error = NULL;
    bool read = history_events(past->history, NULL, from_us, to_us, replay_on_event, log, &error);
    free(error);
    return read;
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
    struct event_log *log = event_log_new();
    if (!read_events(past, log, lead_in_from(past, begin_us, to_us), to_us + 1)) {
        event_log_free(log);
        return;
    }
    event_log_free(past->events);
    past->events = log;
}

void replay_report(struct replay *past, struct event_log *log)
{
    int64_t from_us, to_us;
    if (replay_open(past) && replay_bounds(past, &from_us, &to_us))
        read_events(past, log, lead_in_from(past, from_us, to_us), to_us + 1);
}

/*
 * Goes to a moment; one before the beginning is the beginning, one after the end the end. False, and why in
 * replay_problem(): it stays where it was.
 */
static bool replay_go(struct replay *past, int64_t at_us)
{
    int64_t from_us, to_us;
    char *error = NULL;
    if (!replay_open(past))
        return false;
    if (!history_bounds(past->history, &from_us, &to_us, &error)) {
        replay_set_problem(past, error ? error : xstrdup("nothing has been recorded yet"));
        return false;
    }
    at_us = at_us < from_us ? from_us : at_us > to_us ? to_us : at_us;
    const struct model *model = history_at(past->history, at_us, &error);
    if (!model) {
        replay_set_problem(past, error);
        return false;
    }
    replay_set_problem(past, NULL);
    past->model = *model;
    past->model.generation = ++past->generation;
    /* Few lie between moments that are near each other. */
    bool near = past->there && at_us >= past->at_us && at_us - past->at_us <= HOUR_US;
    if (!(near && read_events(past, past->events, past->at_us + 1, at_us + 1)))
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

/* To an event: when it has happened. To a failover: just before its loss, so that the next event is that. */
static enum replay_step replay_step(struct replay *past, enum replay_unit unit,
                                    const struct history_filter *within, bool forward)
{
    /* A failover's moment lies just before its loss, which is therefore not the next one; seen from the loss
       on it is the previous one. */
    const struct history_filter losses = {
        .cluster = within->cluster, .election = within->election, .events = UINT64_C(1) << EVENT_LEADER_LOST};
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

/* Plays this many times as fast as real time; 0 stops. mono_us: of the clock passed to replay_tick(). */
static void replay_play(struct replay *past, int pace, int64_t mono_us)
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

#define DAY_US (24 * HOUR_US)
#define WIDEST 1024 /* that the line of time is */

static void replay_keys_say(struct replay_keys_note *note, style role, const char *text)
{
    note->role = role;
    snprintf(note->text, sizeof note->text, "%s", text);
}

/* The keys that step, and the message where there is nothing to step to. */
struct step_key {
    enum action action;
    enum replay_unit unit;
    bool forward;
    const char *none;
};

static const struct step_key *step_of(enum action action)
{
    static const struct step_key steps[] = {
        {ACTION_EVENT_BACK, REPLAY_EVENT, false, "no event before this"},
        {ACTION_EVENT_ON, REPLAY_EVENT, true, "no event after this"},
        {ACTION_FAILOVER_BACK, REPLAY_FAILOVER, false, "no failover before this"},
        {ACTION_FAILOVER_ON, REPLAY_FAILOVER, true, "no failover after this"},
        {ACTION_MINUTE_BACK, REPLAY_MINUTE, false, "the recording begins here"},
        {ACTION_MINUTE_ON, REPLAY_MINUTE, true, "the recording ends here"},
        {ACTION_HOUR_BACK, REPLAY_HOUR, false, "the recording begins here"},
        {ACTION_HOUR_ON, REPLAY_HOUR, true, "the recording ends here"},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i].action == action)
            return &steps[i];
    return NULL;
}

bool replay_keys_knows(const struct replay_keys *replay_keys, enum action action)
{
    if (action == ACTION_PAUSE || action == ACTION_PACE)
        return replay_keys->away;
    return step_of(action) || action == ACTION_BEGINNING || action == ACTION_END || action == ACTION_GO_TO ||
           action == ACTION_LIVE;
}

static void come_back(struct replay_keys *replay_keys, struct replay_keys_note *note)
{
    if (!replay_keys->live) {
        replay_keys_say(note, ROLE_DIM, "this is a recording: there is no live display");
        return;
    }
    replay_play(replay_keys->past, 0, 0);
    replay_keys->away = false;
    replay_keys_say(note, ROLE_GOOD, "back to live");
}

bool replay_keys_to(struct replay_keys *replay_keys, int64_t at_us, struct replay_keys_note *note)
{
    int64_t from_us, to_us;
    char text[64], clock[40];
    if (!replay_keys->past || !replay_go(replay_keys->past, at_us)) {
        const char *why = replay_keys->past ? replay_problem(replay_keys->past) : replay_keys->why_not;
        replay_keys_say(note, ROLE_WARNING, why ? why : "nothing is recorded, so you cannot go back in time");
        return false;
    }
    replay_play(replay_keys->past, 0, 0);
    replay_keys->away = true;
    if (replay_bounds(replay_keys->past, &from_us, &to_us) && at_us < from_us) {
        snprintf(text, sizeof text, "the recording begins at %s", format_time(from_us, clock, sizeof clock));
        replay_keys_say(note, ROLE_WARNING, text);
    } else if (replay_bounds(replay_keys->past, &from_us, &to_us) && at_us > to_us && !replay_keys->live) {
        snprintf(text, sizeof text, "the recording ends at %s", format_time(to_us, clock, sizeof clock));
        replay_keys_say(note, ROLE_WARNING, text);
    }
    return true;
}

bool replay_keys_reaches(struct replay_keys *replay_keys, int64_t at_us)
{
    int64_t from_us, to_us;
    if (!replay_keys->live)
        return true;
    return replay_keys->past && replay_open(replay_keys->past) &&
           replay_bounds(replay_keys->past, &from_us, &to_us) && from_us <= at_us && at_us <= to_us;
}

bool replay_keys_to_typed(struct replay_keys *replay_keys, const char *text, struct moment now,
                          struct replay_keys_note *note)
{
    int64_t shown_us = replay_keys->away ? replay_now(replay_keys->past).wall_us : now.wall_us, at_us,
            reference_us;
    char message[200];
    /* A distance counts from the moment shown; a time of the day is that of the day shown, if it has come. */
    reference_us = shown_us;
    if (replay_keys->away && *text != '-' && *text != '+') {
        int64_t midnight_us;
        if (!time_parse("23:59:59.999999", shown_us + DAY_US, &midnight_us))
            reference_us = midnight_us < now.wall_us ? midnight_us : now.wall_us;
    }
    const char *problem = time_parse(text, reference_us, &at_us);
    if (problem) {
        snprintf(message, sizeof message, "%.40s %s", text, problem);
        replay_keys_say(note, ROLE_WARNING, message);
        return false;
    }
    return replay_keys_to(replay_keys, at_us, note);
}

static void replay_keys_step(struct replay_keys *replay_keys, const struct step_key *step,
                             const struct history_filter *within, struct replay_keys_note *note)
{
    bool failover = step->unit == REPLAY_FAILOVER;
    switch (replay_step(replay_keys->past, step->unit, within, step->forward)) {
    case REPLAY_MOVED:
        break;
    case REPLAY_NO_MORE:
        if (step->forward && replay_keys->live && !failover)
            come_back(replay_keys, note);
        else
            replay_keys_say(note, ROLE_DIM,
                            !failover || !within->election ? step->none
                            : step->forward                ? "no failover of this election after this"
                                                           : "no failover of this election before this");
        break;
    case REPLAY_FAILED:
        replay_keys_say(note, ROLE_WARNING, replay_problem(replay_keys->past));
        break;
    }
}

static void play(struct replay_keys *replay_keys, enum action action, struct moment now,
                 struct replay_keys_note *note)
{
    bool playing = replay_pace(replay_keys->past) != 0;
    int64_t from_us, to_us;
    int pace = replay_keys->pace == 0 ? 1 : replay_keys->pace;
    char text[32];
    if (action == ACTION_PACE) {
        replay_keys->pace = pace == 1 ? 10 : pace == 10 ? 60 : 1;
        replay_play(replay_keys->past, playing ? replay_keys->pace : 0, now.mono_us);
        snprintf(text, sizeof text, "playing x%d", replay_keys->pace);
        replay_keys_say(note, ROLE_DIM, text);
    } else if (!playing && !replay_keys->live && replay_bounds(replay_keys->past, &from_us, &to_us) &&
               replay_now(replay_keys->past).wall_us >= to_us) {
        replay_keys_say(note, ROLE_DIM, "the recording ends here");
    } else {
        replay_play(replay_keys->past, playing ? 0 : pace, now.mono_us);
    }
}

void replay_keys_act(struct replay_keys *replay_keys, enum action action, struct moment now,
                     const struct history_filter *within, struct replay_keys_note *note)
{
    const struct step_key *step = step_of(action);
    bool arrives = !replay_keys->away;
    bool ahead = action == ACTION_LIVE || action == ACTION_END ||
                 (step && step->forward && step->unit != REPLAY_EVENT);
    if (arrives && ahead) {
        char text[64];
        snprintf(text, sizeof text, "this is live: %s and %s go back in time", key_first(ACTION_EVENT_BACK),
                 key_first(ACTION_GO_TO));
        replay_keys_say(note, ROLE_DIM, text);
        return;
    }
    if (arrives && (!replay_keys_to(replay_keys, now.wall_us, note) || action == ACTION_EVENT_ON))
        return;
    if (step)
        replay_keys_step(replay_keys, step, within, note);
    switch (action) {
    case ACTION_BEGINNING:
        replay_keys_to(replay_keys, 1, note);
        note->text[0] = '\0';
        break;
    case ACTION_END:
        if (replay_keys->live)
            come_back(replay_keys, note);
        else if (replay_keys_to(replay_keys, INT64_MAX / 2, note))
            note->text[0] = '\0';
        break;
    case ACTION_LIVE:
        come_back(replay_keys, note);
        break;
    case ACTION_PAUSE:
    case ACTION_PACE:
        play(replay_keys, action, now, note);
        break;
    default:
        break;
    }
}

/* The line of time. */

/* All that is recorded, from a minute to a day. */
static void replay_keys_choose_window(struct replay_keys *replay_keys, int64_t from_us, int64_t to_us,
                                      int64_t at_us)
{
    int64_t recorded_us = to_us - from_us, length_us = recorded_us < MINUTE_US ? MINUTE_US
                                                       : recorded_us > DAY_US  ? DAY_US
                                                                               : recorded_us;
    /* It stays while one moves inside it, and advances by halves. */
    if (replay_keys->to_us - replay_keys->from_us != length_us || at_us < replay_keys->from_us ||
        at_us > replay_keys->to_us)
        replay_keys->from_us = at_us > to_us - length_us / 2 ? to_us - length_us : at_us - length_us / 2;
    if (length_us >= recorded_us)
        replay_keys->from_us = from_us;
    replay_keys->to_us = replay_keys->from_us + length_us;
}

/* A cell a failover; from one to the next, so that a million of them cost no more than the cells. */
static void replay_keys_draw_failovers(const struct replay_keys *replay_keys, struct cells *cells)
{
    const struct history_filter losses = {.events = UINT64_C(1) << EVENT_LEADER_LOST};
    int64_t window_us = replay_keys->to_us - replay_keys->from_us, at_us = replay_keys->from_us - 1;
    for (int i = 0; i < replay_keys->width; i++) {
        if (!history_step(replay_history(replay_keys->past), &losses, at_us, true, &at_us) ||
            at_us >= replay_keys->to_us)
            return;
        if (at_us < replay_keys->from_us)
            continue; /* recorded later, by a clock that was set back */
        int cell = (int)((at_us - replay_keys->from_us) * replay_keys->width / window_us);
        cells_put(cells, replay_keys->x + cell, replay_keys->y, 1, ROLE_BAR_CHANGE,
                  cells_sign(cells, SIGN_TICK));
        at_us = replay_keys->from_us + (cell + 1) * window_us / replay_keys->width;
    }
}

static int replay_keys_cell_at(const struct replay_keys *replay_keys, int64_t us)
{
    int64_t window_us = replay_keys->to_us - replay_keys->from_us;
    if (us <= replay_keys->from_us)
        return 0;
    return us >= replay_keys->to_us ? replay_keys->width - 1
                                    : (int)((us - replay_keys->from_us) * replay_keys->width / window_us);
}

void replay_keys_draw(struct replay_keys *replay_keys, struct cells *cells, int y, struct moment now)
{
    int64_t from_us, to_us, at_us = replay_now(replay_keys->past).wall_us;
    char left[48], right[48];
    int pace = replay_pace(replay_keys->past), x = 1;
    if (!replay_bounds(replay_keys->past, &from_us, &to_us))
        return;
    replay_keys_choose_window(replay_keys, from_us, to_us, at_us);
    label_moment(replay_keys->from_us, now, left, sizeof left);
    label_moment(replay_keys->to_us, now, right, sizeof right);
    x += cells_put(cells, x, y, -1, pace ? ROLE_GOOD : ROLE_DIM,
                   cells_sign(cells, pace ? SIGN_PLAY : SIGN_STOP));
    if (pace)
        x += cells_printf(cells, x, y, -1, ROLE_GOOD, " %s%d", cells_sign(cells, SIGN_TIMES), pace);
    x += 2 + cells_put(cells, x + 1, y, -1, ROLE_DIM, left);
    replay_keys->x = x;
    replay_keys->y = y;
    replay_keys->width = label_room(x, cells->width - 2 - cells_width(cells, right));
    if (replay_keys->width < 2)
        return;
    replay_keys->width = replay_keys->width < WIDEST ? replay_keys->width : WIDEST;
    bool watched[WIDEST];
    int here = replay_keys_cell_at(replay_keys, at_us);
    history_watched(replay_history(replay_keys->past), replay_keys->from_us, replay_keys->to_us,
                    (size_t)replay_keys->width, watched);
    for (int i = 0; i < replay_keys->width; i++)
        if (watched[i])
            cells_put(cells, x + i, y, 1, i < here ? ROLE_ACCENT : ROLE_RULE, cells_sign(cells, SIGN_RULE));
        else
            cells_put(cells, x + i, y, 1, ROLE_BAR_GAP, cells_sign(cells, SIGN_BAR_GAP));
    replay_keys_draw_failovers(replay_keys, cells);
    cells_put(cells, x + here, y, 1, ROLE_KEY, cells_sign(cells, SIGN_MOMENT));
    cells_put(cells, x + replay_keys->width + 1, y, -1, ROLE_DIM, right);
}

bool replay_keys_click(struct replay_keys *replay_keys, int x, int y, struct replay_keys_note *note)
{
    if (!replay_keys->away || y != replay_keys->y || x < replay_keys->x ||
        x >= replay_keys->x + replay_keys->width)
        return false;
    replay_keys_to(replay_keys,
                   replay_keys->from_us + (2 * (x - replay_keys->x) + 1) *
                                              (replay_keys->to_us - replay_keys->from_us) /
                                              (2 * replay_keys->width),
                   note);
    return true;
}
