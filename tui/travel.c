#include "tui/travel.h"

#include <stdio.h>
#include <string.h>

#include "config/times.h"
#include "tui/text/format.h"
#include "tui/text/safe.h"
#include "tui/views/facts.h"

#define SECOND_US INT64_C(1000000)
#define MINUTE_US (60 * SECOND_US)
#define DAY_US (1440 * MINUTE_US)
#define WIDEST 1024 /* that the line of time is */

static void say(struct travel_note *note, style role, const char *text)
{
    note->role = role;
    snprintf(note->text, sizeof note->text, "%s", text);
}

bool travel_knows(const struct travel *travel, enum action action)
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
        return travel->away;
    default:
        return false;
    }
}

static void come_back(struct travel *travel, struct travel_note *note)
{
    if (!travel->live) {
        say(note, ROLE_DIM, "this is a recording: there is no live to go back to");
        return;
    }
    past_play(travel->past, 0, 0);
    travel->away = false;
    say(note, ROLE_GOOD, "back to live");
}

bool travel_to(struct travel *travel, int64_t at_us, struct travel_note *note)
{
    int64_t from_us, to_us;
    char text[64], clock[40];
    if (!travel->past || !past_go(travel->past, at_us)) {
        const char *why = travel->past ? past_problem(travel->past) : travel->why_not;
        say(note, ROLE_WARNING, why ? why : "nothing is recorded that one could go back to");
        return false;
    }
    past_play(travel->past, 0, 0);
    travel->away = true;
    if (past_bounds(travel->past, &from_us, &to_us) && at_us < from_us) {
        snprintf(text, sizeof text, "the recording begins at %s", format_time(from_us, clock, sizeof clock));
        say(note, ROLE_WARNING, text);
    } else if (past_bounds(travel->past, &from_us, &to_us) && at_us > to_us && !travel->live) {
        snprintf(text, sizeof text, "the recording ends at %s", format_time(to_us, clock, sizeof clock));
        say(note, ROLE_WARNING, text);
    }
    return true;
}

bool travel_reaches(struct travel *travel, int64_t at_us)
{
    int64_t from_us, to_us;
    if (!travel->live)
        return true;
    return travel->past && past_open(travel->past) && past_bounds(travel->past, &from_us, &to_us) &&
           from_us <= at_us && at_us <= to_us;
}

bool travel_to_typed(struct travel *travel, const char *text, struct moment now, struct travel_note *note)
{
    int64_t shown_us = travel->away ? past_now(travel->past).wall_us : now.wall_us, at_us, reference_us;
    char message[200];
    /* A distance is from what is shown; a time of the day is that of the day shown, where it has come. */
    reference_us = shown_us;
    if (travel->away && *text != '-' && *text != '+') {
        int64_t midnight_us;
        if (!time_parse("23:59:59.999999", shown_us + DAY_US, &midnight_us))
            reference_us = midnight_us < now.wall_us ? midnight_us : now.wall_us;
    }
    const char *problem = time_parse(text, reference_us, &at_us);
    if (problem) {
        snprintf(message, sizeof message, "%.40s %s", text, problem);
        say(note, ROLE_WARNING, message);
        return false;
    }
    return travel_to(travel, at_us, note);
}

static void step(struct travel *travel, enum past_unit unit, bool forward, struct travel_note *note)
{
    static const char *const none[][2] = {
        [PAST_EVENT] = {"nothing happened before this", "nothing happened after this"},
        [PAST_FAILOVER] = {"no leader was lost before this", "no leader was lost after this"},
        [PAST_MINUTE] = {"the recording begins here", "the recording ends here"},
        [PAST_HOUR] = {"the recording begins here", "the recording ends here"}};
    switch (past_step(travel->past, unit, forward)) {
    case PAST_MOVED:
        break;
    case PAST_NO_MORE:
        if (forward && travel->live && unit != PAST_FAILOVER)
            come_back(travel, note);
        else
            say(note, ROLE_DIM, none[unit][forward]);
        break;
    case PAST_FAILED:
        say(note, ROLE_WARNING, past_problem(travel->past));
        break;
    }
}

static void play(struct travel *travel, enum action action, struct moment now, struct travel_note *note)
{
    bool playing = past_pace(travel->past) != 0;
    int64_t from_us, to_us;
    int pace = travel->pace == 0 ? 1 : travel->pace;
    char text[32];
    if (action == ACTION_PACE) {
        travel->pace = pace == 1 ? 10 : pace == 10 ? 60 : 1;
        past_play(travel->past, playing ? travel->pace : 0, now.mono_us);
        snprintf(text, sizeof text, "plays x%d", travel->pace);
        say(note, ROLE_DIM, text);
    } else if (!playing && !travel->live && past_bounds(travel->past, &from_us, &to_us) &&
               past_now(travel->past).wall_us >= to_us) {
        say(note, ROLE_DIM, "the recording ends here");
    } else {
        past_play(travel->past, playing ? 0 : pace, now.mono_us);
    }
}

void travel_act(struct travel *travel, enum action action, struct moment now, struct travel_note *note)
{
    bool back = action == ACTION_EVENT_BACK || action == ACTION_FAILOVER_BACK ||
                action == ACTION_MINUTE_BACK || action == ACTION_HOUR_BACK;
    bool arrives = !travel->away;
    if (arrives && (action == ACTION_LIVE || action == ACTION_END || action == ACTION_FAILOVER_ON ||
                    action == ACTION_MINUTE_ON || action == ACTION_HOUR_ON)) {
        say(note, ROLE_DIM, "this is live: T and b go back in time");
        return;
    }
    if (arrives && (!travel_to(travel, now.wall_us, note) || action == ACTION_EVENT_ON))
        return;
    switch (action) {
    case ACTION_EVENT_BACK:
    case ACTION_EVENT_ON:
        step(travel, PAST_EVENT, !back, note);
        break;
    case ACTION_FAILOVER_BACK:
    case ACTION_FAILOVER_ON:
        step(travel, PAST_FAILOVER, !back, note);
        break;
    case ACTION_MINUTE_BACK:
    case ACTION_MINUTE_ON:
        step(travel, PAST_MINUTE, !back, note);
        break;
    case ACTION_HOUR_BACK:
    case ACTION_HOUR_ON:
        step(travel, PAST_HOUR, !back, note);
        break;
    case ACTION_BEGINNING:
        travel_to(travel, 1, note);
        note->text[0] = '\0';
        break;
    case ACTION_END:
        if (travel->live)
            come_back(travel, note);
        else if (travel_to(travel, INT64_MAX / 2, note))
            note->text[0] = '\0';
        break;
    case ACTION_LIVE:
        come_back(travel, note);
        break;
    case ACTION_PAUSE:
    case ACTION_PACE:
        play(travel, action, now, note);
        break;
    default:
        break;
    }
}

/* The line of time. */

/* All that is recorded, from a minute to a day. */
static void choose_window(struct travel *travel, int64_t from_us, int64_t to_us, int64_t at_us)
{
    int64_t recorded_us = to_us - from_us, length_us = recorded_us < MINUTE_US ? MINUTE_US
                                                       : recorded_us > DAY_US  ? DAY_US
                                                                               : recorded_us;
    /* It stands still while one moves inside it, and goes on by halves. */
    if (travel->to_us - travel->from_us != length_us || at_us < travel->from_us || at_us > travel->to_us)
        travel->from_us = at_us > to_us - length_us / 2 ? to_us - length_us : at_us - length_us / 2;
    if (length_us >= recorded_us)
        travel->from_us = from_us;
    travel->to_us = travel->from_us + length_us;
}

/* A cell a failover; from one to the next, so that a million of them cost no more than the cells. */
static void draw_failovers(const struct travel *travel, struct cells *cells)
{
    const struct history_filter losses = {.events = UINT64_C(1) << EVENT_LEADER_LOST};
    int64_t window_us = travel->to_us - travel->from_us, at_us = travel->from_us - 1;
    for (int i = 0; i < travel->width; i++) {
        if (!history_step(past_history(travel->past), &losses, at_us, true, &at_us) || at_us >= travel->to_us)
            return;
        if (at_us < travel->from_us)
            continue; /* recorded later, by a clock that was set back */
        int cell = (int)((at_us - travel->from_us) * travel->width / window_us);
        cells_put(cells, travel->x + cell, travel->y, 1, ROLE_BAR_CHANGE, cells_sign(cells, SIGN_TICK));
        at_us = travel->from_us + (cell + 1) * window_us / travel->width;
    }
}

static int cell_at(const struct travel *travel, int64_t us)
{
    int64_t window_us = travel->to_us - travel->from_us;
    if (us <= travel->from_us)
        return 0;
    return us >= travel->to_us ? travel->width - 1
                               : (int)((us - travel->from_us) * travel->width / window_us);
}

void travel_draw(struct travel *travel, struct cells *cells, int y, struct moment now)
{
    int64_t from_us, to_us, at_us = past_now(travel->past).wall_us;
    char left[48], right[48];
    int pace = past_pace(travel->past), x = 1;
    if (!past_bounds(travel->past, &from_us, &to_us))
        return;
    choose_window(travel, from_us, to_us, at_us);
    facts_when(travel->from_us, now, left, sizeof left);
    facts_when(travel->to_us, now, right, sizeof right);
    x += cells_put(cells, x, y, -1, pace ? ROLE_GOOD : ROLE_DIM,
                   cells_sign(cells, pace ? SIGN_PLAY : SIGN_STOP));
    if (pace)
        x += cells_printf(cells, x, y, -1, ROLE_GOOD, " %s%d", cells_sign(cells, SIGN_TIMES), pace);
    x += 2 + cells_put(cells, x + 1, y, -1, ROLE_DIM, left);
    travel->x = x;
    travel->y = y;
    travel->width = facts_room(x, cells->width - 2 - safe_width(right, strlen(right), cells->ascii));
    if (travel->width < 2)
        return;
    travel->width = travel->width < WIDEST ? travel->width : WIDEST;
    bool watched[WIDEST];
    int here = cell_at(travel, at_us);
    history_watched(past_history(travel->past), travel->from_us, travel->to_us, (size_t)travel->width,
                    watched);
    for (int i = 0; i < travel->width; i++)
        if (watched[i])
            cells_put(cells, x + i, y, 1, i < here ? ROLE_ACCENT : ROLE_RULE, cells_sign(cells, SIGN_RULE));
        else
            cells_put(cells, x + i, y, 1, ROLE_BAR_GAP, cells_sign(cells, SIGN_BAR_GAP));
    draw_failovers(travel, cells);
    cells_put(cells, x + here, y, 1, ROLE_KEY, cells_sign(cells, SIGN_MOMENT));
    cells_put(cells, x + travel->width + 1, y, -1, ROLE_DIM, right);
}

bool travel_click(struct travel *travel, int x, int y, struct travel_note *note)
{
    if (!travel->away || y != travel->y || x < travel->x || x >= travel->x + travel->width)
        return false;
    travel_to(travel,
              travel->from_us +
                  (2 * (x - travel->x) + 1) * (travel->to_us - travel->from_us) / (2 * travel->width),
              note);
    return true;
}
