#include "tui/dashboard/dashboard_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/connect_string.h"
#include "config/memory.h"
#include "probe/election/model.h"
#include "probe/history/snapshot.h"
#include "tui/dashboard/jump.h"
#include "tui/views/run_control_interface.h"

#define RUN_US INT64_C(250000)   /* a run goes on */
#define PLAYED_US INT64_C(40000) /* a picture at most this often */

struct moment dashboard_now(const struct dashboard *dashboard)
{
    return dashboard->clock(dashboard->clock_context);
}

struct scene dashboard_scene(const struct dashboard *dashboard)
{
    const struct replay_keys *replay_keys = &dashboard->replay_keys;
    bool paused = dashboard->frozen != NULL;
    struct scene scene = {
        .model = paused ? snapshot_model_model(dashboard->frozen) : dashboard->model,
        .events = paused ? dashboard->frozen_events : dashboard->events,
        .settings = dashboard->settings,
        .now = paused ? dashboard->frozen_at : dashboard_now(dashboard),
        .paused = paused,
        .control = replay_keys->away ? NULL : dashboard->control, /* nothing can be done in the past */
        .history = replay_keys->past ? replay_history(replay_keys->past) : NULL,
        .recorded = replay_keys->past != NULL,
        .history_problem = replay_keys->past ? replay_problem(replay_keys->past) : replay_keys->why_not,
    };
    if (replay_keys->away) {
        scene.model = replay_model(replay_keys->past);
        scene.events = replay_events(replay_keys->past);
        scene.now = replay_now(replay_keys->past);
        scene.past = true;
    }
    return scene;
}

struct level *dashboard_top(struct dashboard *dashboard)
{
    return &dashboard->levels[dashboard->level_count - 1];
}

void dashboard_say_key(struct dashboard *dashboard, style role, const char *before, enum action action,
                       const char *after)
{
    char text[128];
    snprintf(text, sizeof text, "%s %s %s", before, key_first(action), after);
    dashboard_say(dashboard, role, text);
}

void dashboard_push(struct dashboard *dashboard, struct view *view)
{
    if (dashboard->level_count == LEVELS_MOST) {
        view_free(view);
        dashboard_say_key(dashboard, ROLE_WARNING, "too many open screens:", ACTION_BACK, "goes back");
    } else {
        dashboard->levels[dashboard->level_count++] = (struct level){.view = view};
        dashboard->footer.typing = TYPING_NOTHING; /* it was for the view below */
    }
}

void dashboard_pop(struct dashboard *dashboard)
{
    struct view *view = dashboard_top(dashboard)->view;
    dashboard->level_count--;
    dashboard->footer.typing = TYPING_NOTHING; /* it was this view's */
    view_free(view);
}

void dashboard_resume(struct dashboard *dashboard)
{
    snapshot_model_free(dashboard->frozen);
    event_log_free(dashboard->frozen_events);
    dashboard->frozen = NULL;
    dashboard->frozen_events = NULL;
}

void dashboard_freeze(struct dashboard *dashboard)
{
    dashboard->frozen_at = dashboard_now(dashboard);
    dashboard->frozen = snapshot_model_of(dashboard->model, dashboard->frozen_at.wall_us);
    if (dashboard->frozen)
        dashboard->frozen_events = event_log_copy(dashboard->events);
    else
        dashboard_say(dashboard, ROLE_WARNING, "there is too much on display to pause it");
}

struct dashboard *dashboard_new(const struct settings *settings, const struct model *model,
                                const struct event_log *events, clock_fn clock, void *clock_context)
{
    struct dashboard *dashboard = xcalloc(1, sizeof(*dashboard));
    dashboard->settings = settings;
    dashboard->model = model;
    dashboard->events = events;
    dashboard->clock = clock;
    dashboard->clock_context = clock_context;
    dashboard->touched = true;
    key_bindings_configure(settings);
    dashboard_push(dashboard, overview_view_new());
    return dashboard;
}

void dashboard_free(struct dashboard *dashboard)
{
    if (!dashboard)
        return;
    while (dashboard->level_count > 0)
        dashboard_pop(dashboard);
    dashboard_resume(dashboard);
    snapshot_model_free(dashboard->marked);
    host_list_free(dashboard->command);
    free(dashboard);
}

void dashboard_say(struct dashboard *dashboard, style role, const char *text)
{
    footer_say(&dashboard->footer, role, text, dashboard_now(dashboard).mono_us + MESSAGE_US);
    dashboard->touched = true;
}

void dashboard_show_note(struct dashboard *dashboard, const struct replay_keys_note *note)
{
    if (note->text[0])
        dashboard_say(dashboard, note->role, note->text);
}

bool dashboard_set_replay(struct dashboard *dashboard, struct replay *past, const char *why_not,
                          int64_t at_us)
{
    dashboard->replay_keys =
        (struct replay_keys){.past = past, .why_not = why_not, .live = dashboard->model != NULL};
    struct replay_keys_note note = {0};
    if (dashboard->replay_keys.live)
        return true;
    bool there = replay_keys_to(&dashboard->replay_keys, at_us, &note);
    dashboard_show_note(dashboard, &note);
    return there;
}

void dashboard_equip(struct dashboard *dashboard, const struct run_control_interface *control)
{
    dashboard->control = control;
}

void dashboard_tell(struct dashboard *dashboard, struct tells *tells)
{
    dashboard->tells = tells;
}

void dashboard_arrange(struct dashboard *dashboard, const char *sort, const char *columns)
{
    overview_view_arrange(dashboard->levels[0].view, sort, columns);
}

const char *dashboard_columns(const struct dashboard *dashboard)
{
    return dashboard->columns;
}

bool dashboard_is_playing(const struct dashboard *dashboard)
{
    return dashboard->replay_keys.away && replay_pace(dashboard->replay_keys.past) != 0;
}

void dashboard_open_history(struct dashboard *dashboard)
{
    if (dashboard->replay_keys.past)
        replay_open(dashboard->replay_keys.past);
}

/* NULL: what the title shows, or the overview. */
static const char *back_to(struct dashboard *dashboard)
{
    const struct level *level = dashboard_top(dashboard);
    if (!level->jumped || dashboard->level_count < 3 || level->filter[0])
        return NULL;
    snprintf(dashboard->back_to, sizeof dashboard->back_to, "back to %s", level[-1].view->ops->name);
    return dashboard->back_to;
}

struct key_help dashboard_key_help(struct dashboard *dashboard, const struct scene *scene)
{
    const struct replay_keys *replay_keys = &dashboard->replay_keys;
    return (struct key_help){.view = dashboard_top(dashboard)->view,
                             .scene = scene,
                             .deeper = dashboard->level_count > 1 || dashboard_top(dashboard)->filter[0],
                             .back_to = back_to(dashboard),
                             .recorded = replay_keys->past != NULL,
                             .live = replay_keys->live,
                             .playing = replay_keys->away && replay_pace(replay_keys->past) != 0};
}

void dashboard_filter(struct dashboard *dashboard, const char *text)
{
    struct level *level = dashboard_top(dashboard);
    if (text != level->filter)
        snprintf(level->filter, sizeof(level->filter), "%.*s", FILTER_BYTES - 1, text);
    level->view->ops->filter(level->view, level->filter);
}

bool dashboard_is_touched(const struct dashboard *dashboard)
{
    return dashboard->touched;
}

bool dashboard_is_undrawn(struct dashboard *dashboard)
{
    return dashboard_top(dashboard)->view != dashboard->drawn_view;
}

/* Drawing. */

/* The longest of what still says something. */
static void draw_too_small(struct cells *cells)
{
    char text[3][64];
    snprintf(text[0], sizeof(text[0]), "electop needs %dx%d, this is %dx%d", DASHBOARD_WIDTH_LEAST,
             DASHBOARD_HEIGHT_LEAST, cells->width, cells->height);
    snprintf(text[1], sizeof(text[1]), "needs %dx%d", DASHBOARD_WIDTH_LEAST, DASHBOARD_HEIGHT_LEAST);
    snprintf(text[2], sizeof(text[2]), "%dx%d", DASHBOARD_WIDTH_LEAST, DASHBOARD_HEIGHT_LEAST);
    for (size_t i = 0; i < 3; i++)
        if ((int)strlen(text[i]) <= cells->width || i == 2) {
            cells_put(cells, 0, 0, -1, ROLE_WARNING, text[i]);
            return;
        }
}

/* Notifies a user who looked elsewhere meanwhile that the run is over. */
static void watch_run(struct dashboard *dashboard)
{
    const struct run_control_interface *control = dashboard->control;
    bool busy = control && control->is_busy(control->context);
    if (dashboard->busy && !busy && dashboard_top(dashboard)->view->ops->opened_by != ACTION_INJECT)
        dashboard_say_key(dashboard, ROLE_GOOD, "the run of test candidates is over:", ACTION_INJECT,
                          "shows its report");
    dashboard->busy = busy;
}

static void play_on(struct dashboard *dashboard, struct moment now)
{
    struct replay *past = dashboard->replay_keys.past;
    bool played = replay_pace(past) != 0;
    replay_tick(past, now.mono_us);
    if (played && replay_pace(past) == 0 && replay_problem(past))
        dashboard_say(dashboard, ROLE_WARNING, replay_problem(past));
}

/* Not beside a cluster that is away, nor in a replay: a green sign would be taken for its state. */
static bool wants_hints(const struct dashboard *dashboard, const struct scene *scene)
{
    if (dashboard->acquainted || scene->past || scene->settings->screen.hints != CHOICE_AUTO)
        return false;
    for (size_t i = 0; i < scene->model->cluster_count; i++) {
        const struct cluster *cluster = &scene->model->clusters[i];
        if (cluster->connection != CONNECTION_CONNECTED || cluster->silent_since.mono_us)
            return false;
    }
    return true;
}

void dashboard_draw(struct dashboard *dashboard, struct cells *cells)
{
    struct moment now = dashboard_now(dashboard);
    watch_run(dashboard);
    if (dashboard->replay_keys.away)
        play_on(dashboard, now);
    struct scene scene = dashboard_scene(dashboard);
    bool away = dashboard->replay_keys.away;
    dashboard->touched = false;
    dashboard->drawn_us = now.mono_us;
    dashboard->drawn_generation = scene.model->generation;
    dashboard->drawn_second = now.wall_us / 1000000;
    cells_clear(cells);
    if (cells->width < DASHBOARD_WIDTH_LEAST || cells->height < DASHBOARD_HEIGHT_LEAST) {
        dashboard->footer.key_count = 0;
        draw_too_small(cells);
        return;
    }
    struct view *view = dashboard_top(dashboard)->view;
    dashboard->drawn_view = view;
    bool hints = wants_hints(dashboard, &scene) && cells->height >= 18;
    /* The view gets a part of the grid, on the same cells: it cannot write beyond it. */
    struct cells body = {.width = cells->width,
                         .height = cells->height - 2 - away,
                         .at = cells->at + cells->width,
                         .ascii = cells->ascii,
                         .cursor_x = -1,
                         .cursor_y = -1};
    view->ops->draw(view, &scene, &body);
    title_draw(cells, view, dashboard->level_count == 1, &scene,
               scene.paused ? now.mono_us - dashboard->frozen_at.mono_us : -1, now.wall_us);
    if (away)
        replay_keys_draw(&dashboard->replay_keys, cells, cells->height - 2, now);
    if (hints)
        footer_draw_hints(cells, cells->height - 2 - away);
    struct key_help key_help = dashboard_key_help(dashboard, &scene);
    if (dashboard->footer.typing == TYPING_JUMP)
        jump_draw(cells, &scene, &dashboard->footer, key_help_all(&key_help));
    footer_draw(&dashboard->footer, cells, &key_help, dashboard_top(dashboard)->filter, now.mono_us);
    moved_rows_see(&dashboard->moved, cells, now.mono_us);
}

bool dashboard_is_stale(const struct dashboard *dashboard)
{
    struct moment now = dashboard_now(dashboard);
    if (dashboard->touched || now.wall_us / 1000000 != dashboard->drawn_second)
        return true;
    if (dashboard->replay_keys.away)
        return dashboard_is_playing(dashboard) && now.mono_us - dashboard->drawn_us >= PLAYED_US;
    const struct run_control_interface *control = dashboard->control;
    if (dashboard->levels[dashboard->level_count - 1].view->ops->opened_by == ACTION_INJECT && control &&
        control->is_busy(control->context) && now.mono_us - dashboard->drawn_us >= RUN_US)
        return true;
    return !dashboard->frozen && dashboard->model->generation != dashboard->drawn_generation;
}
