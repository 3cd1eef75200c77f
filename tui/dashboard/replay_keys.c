#include "tui/dashboard/replay_keys.h"

#include <stdio.h>
#include <string.h>

#include "config/times.h"
#include "tui/words/format.h"
#include "tui/screen/safe.h"
#include "tui/words/labels.h"

#define SECOND_US INT64_C(1000000)
#define MINUTE_US (60 * SECOND_US)
#define DAY_US (1440 * MINUTE_US)
#define WIDEST 1024 /* that the line of time is */

static void replay_keys_say(struct replay_keys_note *note, style role, const char *text)
{
    note->role = role;
    snprintf(note->text, sizeof note->text, "%s", text);
}

bool replay_keys_knows(const struct replay_keys *replay_keys, enum action action)
{
    switch (action) {
    case ACTION_EVENT_BACK:
    case ACTION_EVENT_ON:
    case ACTION_FAILOVER_BACK:
    case ACTION_FAILOVER_ON:
    case ACTION_MINUTE_BACK:
    case ACTION_MINUTE_ON:
    case ACTION_HOUR_BACK:
    case ACTION_HOUR_ON:
    case ACTION_BEGINNING:
    case ACTION_END:
    case ACTION_GO_TO:
    case ACTION_LIVE:
        return true;
    case ACTION_PAUSE:
    case ACTION_PACE:
        return replay_keys->away;
    default:
        return false;
    }
}

static void come_back(struct replay_keys *replay_keys, struct replay_keys_note *note)
{
    if (!replay_keys->live) {
        replay_keys_say(note, ROLE_DIM, "this is a recording: there is no live to go back to");
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
        replay_keys_say(note, ROLE_WARNING, why ? why : "nothing is recorded that one could go back to");
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

static void replay_keys_step(struct replay_keys *replay_keys, enum replay_unit unit, bool forward,
                             struct replay_keys_note *note)
{
    static const char *const none[][2] = {
        [REPLAY_EVENT] = {"nothing happened before this", "nothing happened after this"},
        [REPLAY_FAILOVER] = {"no leader was lost before this", "no leader was lost after this"},
        [REPLAY_MINUTE] = {"the recording begins here", "the recording ends here"},
        [REPLAY_HOUR] = {"the recording begins here", "the recording ends here"}};
    switch (replay_step(replay_keys->past, unit, forward)) {
    case REPLAY_MOVED:
        break;
    case REPLAY_NO_MORE:
        if (forward && replay_keys->live && unit != REPLAY_FAILOVER)
            come_back(replay_keys, note);
        else
            replay_keys_say(note, ROLE_DIM, none[unit][forward]);
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
        snprintf(text, sizeof text, "plays x%d", replay_keys->pace);
        replay_keys_say(note, ROLE_DIM, text);
    } else if (!playing && !replay_keys->live && replay_bounds(replay_keys->past, &from_us, &to_us) &&
               replay_now(replay_keys->past).wall_us >= to_us) {
        replay_keys_say(note, ROLE_DIM, "the recording ends here");
    } else {
        replay_play(replay_keys->past, playing ? 0 : pace, now.mono_us);
    }
}

void replay_keys_act(struct replay_keys *replay_keys, enum action action, struct moment now,
                     struct replay_keys_note *note)
{
    bool back = action == ACTION_EVENT_BACK || action == ACTION_FAILOVER_BACK ||
                action == ACTION_MINUTE_BACK || action == ACTION_HOUR_BACK;
    bool arrives = !replay_keys->away;
    if (arrives && (action == ACTION_LIVE || action == ACTION_END || action == ACTION_FAILOVER_ON ||
                    action == ACTION_MINUTE_ON || action == ACTION_HOUR_ON)) {
        replay_keys_say(note, ROLE_DIM, "this is live: T and b go back in time");
        return;
    }
    if (arrives && (!replay_keys_to(replay_keys, now.wall_us, note) || action == ACTION_EVENT_ON))
        return;
    switch (action) {
    case ACTION_EVENT_BACK:
    case ACTION_EVENT_ON:
        replay_keys_step(replay_keys, REPLAY_EVENT, !back, note);
        break;
    case ACTION_FAILOVER_BACK:
    case ACTION_FAILOVER_ON:
        replay_keys_step(replay_keys, REPLAY_FAILOVER, !back, note);
        break;
    case ACTION_MINUTE_BACK:
    case ACTION_MINUTE_ON:
        replay_keys_step(replay_keys, REPLAY_MINUTE, !back, note);
        break;
    case ACTION_HOUR_BACK:
    case ACTION_HOUR_ON:
        replay_keys_step(replay_keys, REPLAY_HOUR, !back, note);
        break;
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
    label_when(replay_keys->from_us, now, left, sizeof left);
    label_when(replay_keys->to_us, now, right, sizeof right);
    x += cells_put(cells, x, y, -1, pace ? ROLE_GOOD : ROLE_DIM,
                   cells_sign(cells, pace ? SIGN_PLAY : SIGN_STOP));
    if (pace)
        x += cells_printf(cells, x, y, -1, ROLE_GOOD, " %s%d", cells_sign(cells, SIGN_TIMES), pace);
    x += 2 + cells_put(cells, x + 1, y, -1, ROLE_DIM, left);
    replay_keys->x = x;
    replay_keys->y = y;
    replay_keys->width = label_room(x, cells->width - 2 - safe_width(right, strlen(right), cells->ascii));
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
