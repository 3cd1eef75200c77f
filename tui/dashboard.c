#include "tui/dashboard.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/election/freeze.h"
#include "tui/footer.h"
#include "tui/inject/inject_view.h"
#include "tui/inject/workbench.h"
#include "tui/offers.h"
#include "tui/screen/keys.h"
#include "tui/title.h"
#include "tui/travel.h"
#include "tui/typed_line.h"
#include "tui/views/view.h"

#define LEVELS_MOST 16
#define FILTER_BYTES 128
#define MESSAGE_US INT64_C(5000000)
#define WHEEL_LINES 3
#define RUN_US INT64_C(250000)   /* a run goes on */
#define PLAYED_US INT64_C(40000) /* a picture at most this often */

struct level {
    struct view *view;
    char filter[FILTER_BYTES]; /* "": none */
};

struct dashboard {
    const struct settings *settings;
    const struct model *model;
    const struct event_log *events;
    clock_fn clock;
    void *clock_context;

    struct level levels[LEVELS_MOST]; /* the last one is on the screen */
    size_t level_count;
    struct footer footer;

    struct model *frozen; /* while paused: the picture that stands still */
    struct event_log *frozen_events;
    struct moment frozen_at;
    const struct workbench *workbench;
    bool busy;            /* it had a run going on when last drawn */
    struct travel travel; /* a moment of the past, shown in place of now */

    char copied[4096];
    struct belief belief;    /* that c shall clear ... */
    int64_t belief_until_us; /* ... where it is pressed again before then; 0: it has not been */

    bool touched; /* by a key, since the last drawing */
    uint64_t drawn_generation;
    int64_t drawn_second, drawn_us;
};

static struct moment now_of(const struct dashboard *dashboard)
{
    return dashboard->clock(dashboard->clock_context);
}

static struct scene scene_of(const struct dashboard *dashboard)
{
    const struct travel *travel = &dashboard->travel;
    bool paused = dashboard->frozen != NULL;
    struct scene scene = {
        .model = paused ? dashboard->frozen : dashboard->model,
        .events = paused ? dashboard->frozen_events : dashboard->events,
        .settings = dashboard->settings,
        .now = paused ? dashboard->frozen_at : now_of(dashboard),
        .paused = paused,
        .workbench = travel->away ? NULL : dashboard->workbench, /* nothing can be done in the past */
        .history = travel->past ? past_history(travel->past) : NULL,
        .recorded = travel->past != NULL,
        .history_problem = travel->past ? past_problem(travel->past) : travel->why_not,
    };
    if (travel->away) {
        scene.model = past_model(travel->past);
        scene.events = past_events(travel->past);
        scene.now = past_now(travel->past);
        scene.past = true;
    }
    return scene;
}

static struct level *top_of(struct dashboard *dashboard)
{
    return &dashboard->levels[dashboard->level_count - 1];
}

/* Takes the view, whatever becomes of it; NULL: its maker was out of memory. */
static void push(struct dashboard *dashboard, struct view *view)
{
    if (!view) {
        dashboard_say(dashboard, ROLE_WARNING, "out of memory: this cannot be shown");
    } else if (dashboard->level_count == LEVELS_MOST) {
        view->ops->free(view);
        dashboard_say(dashboard, ROLE_WARNING, "too many screens on top of each other: Esc goes back");
    } else {
        dashboard->levels[dashboard->level_count++] = (struct level){.view = view};
        dashboard->footer.typing = TYPING_NOTHING; /* it was for the view below */
    }
}

static void pop(struct dashboard *dashboard)
{
    struct view *view = top_of(dashboard)->view;
    dashboard->level_count--;
    dashboard->footer.typing = TYPING_NOTHING; /* it was this view's */
    view->ops->free(view);
}

static void thaw(struct dashboard *dashboard)
{
    model_free(dashboard->frozen);
    event_log_free(dashboard->frozen_events);
    dashboard->frozen = NULL;
    dashboard->frozen_events = NULL;
}

static void freeze(struct dashboard *dashboard)
{
    dashboard->frozen_at = now_of(dashboard);
    dashboard->frozen = model_freeze(dashboard->model);
    dashboard->frozen_events = event_log_freeze(dashboard->events);
    if (!dashboard->frozen || !dashboard->frozen_events) {
        thaw(dashboard);
        dashboard_say(dashboard, ROLE_WARNING, "out of memory: the picture cannot be held");
    }
}

struct dashboard *dashboard_new(const struct settings *settings, const struct model *model,
                                const struct event_log *events, clock_fn clock, void *clock_context)
{
    struct dashboard *dashboard = calloc(1, sizeof(*dashboard));
    if (!dashboard)
        return NULL;
    dashboard->settings = settings;
    dashboard->model = model;
    dashboard->events = events;
    dashboard->clock = clock;
    dashboard->clock_context = clock_context;
    dashboard->touched = true;
    struct view *first = overview_view_new();
    if (!first) {
        free(dashboard);
        return NULL;
    }
    push(dashboard, first);
    return dashboard;
}

void dashboard_free(struct dashboard *dashboard)
{
    if (!dashboard)
        return;
    while (dashboard->level_count > 0)
        pop(dashboard);
    thaw(dashboard);
    free(dashboard);
}

void dashboard_say(struct dashboard *dashboard, style role, const char *text)
{
    footer_say(&dashboard->footer, role, text, now_of(dashboard).mono_us + MESSAGE_US);
    dashboard->touched = true;
}

const char *dashboard_copied(const struct dashboard *dashboard)
{
    return dashboard->copied;
}

/* Time. */

static void tell(struct dashboard *dashboard, const struct travel_note *note)
{
    if (note->text[0])
        dashboard_say(dashboard, note->role, note->text);
}

bool dashboard_recall(struct dashboard *dashboard, struct past *past, const char *why_not, int64_t at_us)
{
    dashboard->travel = (struct travel){.past = past, .why_not = why_not, .live = dashboard->model != NULL};
    struct travel_note note = {0};
    if (dashboard->travel.live)
        return true;
    bool there = travel_to(&dashboard->travel, at_us, &note);
    tell(dashboard, &note);
    return there;
}

void dashboard_equip(struct dashboard *dashboard, const struct workbench *workbench)
{
    dashboard->workbench = workbench;
}

bool dashboard_is_playing(const struct dashboard *dashboard)
{
    return dashboard->travel.away && past_pace(dashboard->travel.past) != 0;
}

/* A history is opened when somebody wants to see it, and not before. */
static void open_history(struct dashboard *dashboard)
{
    if (dashboard->travel.past)
        past_open(dashboard->travel.past);
}

static void move_in_time(struct dashboard *dashboard, enum action action)
{
    struct travel_note note = {0};
    if (action == ACTION_GO_TO && dashboard->travel.past) {
        dashboard->footer.typing = TYPING_TIME;
        dashboard->footer.typed[0] = '\0';
        return;
    }
    thaw(dashboard);
    travel_act(&dashboard->travel, action, now_of(dashboard), &note);
    tell(dashboard, &note);
}

/* Keys. */

static struct offers offers_of(struct dashboard *dashboard, const struct scene *scene)
{
    const struct travel *travel = &dashboard->travel;
    return (struct offers){.view = top_of(dashboard)->view,
                           .scene = scene,
                           .deeper = dashboard->level_count > 1 || top_of(dashboard)->filter[0],
                           .recorded = travel->past != NULL,
                           .live = travel->live,
                           .playing = travel->away && past_pace(travel->past) != 0};
}

/* What is not recorded, or not yet, is shown as it is now. */
static void go_to(struct dashboard *dashboard, const struct destination *to)
{
    struct travel_note note = {0};
    bool now = to->path && !travel_reaches(&dashboard->travel, to->at_us);
    thaw(dashboard);
    bool there = now || travel_to(&dashboard->travel, to->at_us, &note);
    tell(dashboard, &note);
    struct view *shown = there && to->path ? election_view_new(to->cluster, to->path) : NULL;
    if (shown)
        push(dashboard, shown);
}

static void follow_result(struct dashboard *dashboard, enum view_result result, struct view *next)
{
    if (result == VIEW_TRAVEL) {
        struct view *view = top_of(dashboard)->view;
        struct destination to = view->ops->destination(view);
        go_to(dashboard, &to);
    } else if (result == VIEW_OPEN)
        push(dashboard, next);
    else if (result == VIEW_CLOSE && dashboard->level_count > 1)
        pop(dashboard);
    else if (result == VIEW_ASK) {
        dashboard->footer.typing = TYPING_ANSWER;
        dashboard->footer.typed[0] = '\0';
    }
}

static enum view_result ask_view(struct dashboard *dashboard, enum action action)
{
    struct view *view = top_of(dashboard)->view, *next = NULL;
    struct scene scene = scene_of(dashboard);
    enum view_result result = view->ops->action(view, &scene, action, &next);
    follow_result(dashboard, result, next);
    return result;
}

static void set_filter(struct dashboard *dashboard, const char *text)
{
    struct level *level = top_of(dashboard);
    if (text != level->filter)
        snprintf(level->filter, sizeof(level->filter), "%s", text);
    level->view->ops->filter(level->view, level->filter);
}

static void go_back(struct dashboard *dashboard)
{
    struct level *level = top_of(dashboard);
    if (level->filter[0])
        set_filter(dashboard, "");
    else if (ask_view(dashboard, ACTION_BACK) == VIEW_IGNORED && dashboard->level_count > 1)
        pop(dashboard);
}

static enum dashboard_wish copy_path(struct dashboard *dashboard)
{
    struct view *view = top_of(dashboard)->view;
    struct scene scene = scene_of(dashboard);
    if (view->ops->path && view->ops->path(view, &scene, dashboard->copied, sizeof(dashboard->copied)))
        return DASHBOARD_COPY;
    dashboard_say(dashboard, ROLE_DIM, "nothing is selected that has a path");
    return DASHBOARD_NOTHING;
}

const struct belief *dashboard_cleared(const struct dashboard *dashboard)
{
    return &dashboard->belief;
}

/* A key that slips must not hide what is critical: it is pressed twice, for the same one. */
static enum dashboard_wish clear_belief(struct dashboard *dashboard)
{
    struct view *view = top_of(dashboard)->view;
    struct scene scene = scene_of(dashboard);
    struct belief belief = {0};
    int64_t now_us = now_of(dashboard).mono_us;
    if (!view->ops->belief)
        return DASHBOARD_NOTHING;
    if (dashboard->travel.away) {
        dashboard_say(dashboard, ROLE_DIM, "this is the past: nothing can be cleared in it");
        return DASHBOARD_NOTHING;
    }
    if (!view->ops->belief(view, &scene, &belief)) {
        dashboard_say(dashboard, ROLE_DIM,
                      "only never-wakes is cleared by hand: the others go when their evidence goes");
        return DASHBOARD_NOTHING;
    }
    bool again = now_us < dashboard->belief_until_us &&
                 strcmp(belief.cluster, dashboard->belief.cluster) == 0 &&
                 strcmp(belief.election, dashboard->belief.election) == 0 &&
                 strcmp(belief.candidate, dashboard->belief.candidate) == 0;
    dashboard->belief = belief;
    dashboard->belief_until_us = again ? 0 : now_us + MESSAGE_US;
    if (again)
        return DASHBOARD_CLEAR;
    dashboard_say(dashboard, ROLE_WARNING,
                  "press c again to clear never-wakes: it changes this program's memory only");
    return DASHBOARD_NOTHING;
}

/* A screen that a key opens from everywhere. */
static struct view *open_screen(enum action action)
{
    return action == ACTION_EVENTS     ? events_view_new()
           : action == ACTION_FINDINGS ? findings_view_new()
           : action == ACTION_ENSEMBLE ? ensemble_view_new()
                                       : explanations_view_new(FINDING_NO_LEADER);
}

/* The form, for the election that is selected, if one is. */
static void open_inject(struct dashboard *dashboard)
{
    struct view *view = top_of(dashboard)->view;
    struct scene scene = scene_of(dashboard);
    char path[4096];
    const struct election *election = NULL;
    if (view->ops->path && view->ops->path(view, &scene, path, sizeof path)) {
        election = model_election(scene.model, 0, path);
        char *slash = strrchr(path, '/');
        if (!election && slash && slash != path) { /* of a candidate its election */
            *slash = '\0';
            election = model_election(scene.model, 0, path);
        }
    }
    push(dashboard, inject_view_new(election ? election->path : NULL, election ? election->name : NULL));
}

/* The one place where it is decided whether a key that writes may: where the footer may show it. */
static bool may_write(struct dashboard *dashboard, enum action action)
{
    size_t count;
    const struct key_binding *bindings = key_bindings(&count);
    bool writes = false;
    for (size_t i = 0; i < count; i++)
        writes |= bindings[i].action == action && bindings[i].writes;
    if (!writes)
        return true;
    struct scene scene = scene_of(dashboard);
    struct offers offers = offers_of(dashboard, &scene);
    if (!scene.workbench)
        dashboard_say(dashboard, ROLE_DIM,
                      scene.past ? "this is the past: nothing can be done in it"
                                 : "nothing is live here: test candidates have nowhere to stand");
    return offers_key(&offers, action);
}

static void show_help(struct dashboard *dashboard)
{
    const struct view_ops *ops = top_of(dashboard)->view->ops;
    struct scene scene = scene_of(dashboard);
    struct offers offers = offers_of(dashboard, &scene);
    if (ops->opened_by == ACTION_HELP)
        pop(dashboard);
    else
        push(dashboard, help_view_new(ops->name, offers_all(&offers)));
}

static enum dashboard_wish act(struct dashboard *dashboard, enum action action)
{
    struct view *view = top_of(dashboard)->view;
    if (travel_knows(&dashboard->travel, action)) {
        move_in_time(dashboard, action);
        return DASHBOARD_NOTHING;
    }
    if (!may_write(dashboard, action))
        return DASHBOARD_NOTHING;
    switch (action) {
    case ACTION_QUIT:
        return DASHBOARD_QUIT;
    case ACTION_INJECT:
        open_inject(dashboard);
        break;
    case ACTION_REDRAW:
        return DASHBOARD_REDRAW;
    case ACTION_DUMP:
        return DASHBOARD_DUMP;
    case ACTION_COPY:
        return copy_path(dashboard);
    case ACTION_CLEAR:
        return clear_belief(dashboard);
    case ACTION_BACK:
        go_back(dashboard);
        break;
    case ACTION_PAUSE:
        if (dashboard->frozen)
            thaw(dashboard);
        else
            freeze(dashboard);
        break;
    case ACTION_FILTER:
        dashboard->footer.typing = view->ops->filter != NULL ? TYPING_FILTER : TYPING_NOTHING;
        break;
    case ACTION_HISTORY:
        open_history(dashboard);
        ask_view(dashboard, action);
        break;
    case ACTION_EVENTS:
    case ACTION_FINDINGS:
    case ACTION_ENSEMBLE:
    case ACTION_EXPLAIN:
        if (ask_view(dashboard, action) == VIEW_IGNORED && view->ops->opened_by != action)
            push(dashboard, open_screen(action));
        break;
    case ACTION_HELP:
        show_help(dashboard);
        break;
    default:
        ask_view(dashboard, action);
        break;
    }
    return DASHBOARD_NOTHING;
}

static void take_typed(struct dashboard *dashboard)
{
    struct travel_note note = {0};
    if (dashboard->footer.typing == TYPING_TIME && dashboard->footer.typed[0]) {
        thaw(dashboard);
        travel_to_typed(&dashboard->travel, dashboard->footer.typed, now_of(dashboard), &note);
        tell(dashboard, &note);
    } else if (dashboard->footer.typing == TYPING_ANSWER) {
        struct view *view = top_of(dashboard)->view;
        struct scene scene = scene_of(dashboard);
        view->ops->answer(view, &scene, dashboard->footer.typed);
    }
}

/* True: the key belonged to the line that is being typed. A filter holds at once, the others when they are
   whole. */
static bool type_line(struct dashboard *dashboard, int key)
{
    bool filters = dashboard->footer.typing == TYPING_FILTER;
    char *text = filters ? top_of(dashboard)->filter : dashboard->footer.typed;
    enum typed typed = typed_line_key(text, filters ? FILTER_BYTES : sizeof dashboard->footer.typed, key);
    if (typed == TYPED_NOT) /* arrows and clicks still move, but nothing may change under an answer */
        return dashboard->footer.typing == TYPING_ANSWER;
    if (filters && typed != TYPED_NOTHING)
        set_filter(dashboard, text);
    if (typed == TYPED_KEPT)
        take_typed(dashboard);
    if (typed == TYPED_KEPT || typed == TYPED_ENDED)
        dashboard->footer.typing = TYPING_NOTHING;
    return true;
}

static enum dashboard_wish click(struct dashboard *dashboard, int x, int y, bool twice)
{
    struct view *view = top_of(dashboard)->view, *next = NULL;
    struct scene scene = scene_of(dashboard);
    struct travel_note note = {0};
    enum action action = footer_action_at(&dashboard->footer, x, y);
    if (action != ACTION_NONE) /* of two quick clicks on a key each counts, as if it were pressed */
        return act(dashboard, action);
    if (travel_click(&dashboard->travel, x, y, &note)) {
        tell(dashboard, &note);
        return DASHBOARD_NOTHING;
    }
    if (y < 1 || !view->ops->click)
        return DASHBOARD_NOTHING;
    enum view_result result = view->ops->click(view, &scene, x, y - 1, twice, &next);
    follow_result(dashboard, result, next);
    return DASHBOARD_NOTHING;
}

enum dashboard_wish dashboard_key(struct dashboard *dashboard, int key, int x, int y)
{
    dashboard->touched = true;
    dashboard->footer.message_until_us = 0;
    if (dashboard->footer.typing && type_line(dashboard, key))
        return DASHBOARD_NOTHING;
    if (key == KEY_CODE_CLICK || key == KEY_CODE_DOUBLE_CLICK)
        return click(dashboard, x, y, key == KEY_CODE_DOUBLE_CLICK);
    if (key == KEY_CODE_WHEEL_UP || key == KEY_CODE_WHEEL_DOWN) {
        for (int i = 0; i < WHEEL_LINES; i++)
            ask_view(dashboard, key == KEY_CODE_WHEEL_UP ? ACTION_UP : ACTION_DOWN);
        return DASHBOARD_NOTHING;
    }
    enum action action = key_action(key);
    return action == ACTION_NONE ? DASHBOARD_NOTHING : act(dashboard, action);
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

/* Who looked elsewhere meanwhile is told that the run is over. */
static void watch_run(struct dashboard *dashboard)
{
    const struct workbench *bench = dashboard->workbench;
    bool busy = bench && bench->is_busy(bench->context);
    if (dashboard->busy && !busy && top_of(dashboard)->view->ops->opened_by != ACTION_INJECT)
        dashboard_say(dashboard, ROLE_GOOD, "the run of test candidates is over: i shows its report");
    dashboard->busy = busy;
}

static void play_on(struct dashboard *dashboard, struct moment now)
{
    struct past *past = dashboard->travel.past;
    bool played = past_pace(past) != 0;
    past_tick(past, now.mono_us);
    if (played && past_pace(past) == 0 && past_problem(past))
        dashboard_say(dashboard, ROLE_WARNING, past_problem(past));
}

void dashboard_draw(struct dashboard *dashboard, struct cells *cells)
{
    struct moment now = now_of(dashboard);
    watch_run(dashboard);
    if (dashboard->travel.away)
        play_on(dashboard, now);
    struct scene scene = scene_of(dashboard);
    bool away = dashboard->travel.away;
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
    struct view *view = top_of(dashboard)->view;
    /* The view's part of the grid is a grid of its own, on the same cells: it cannot write beyond it. */
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
        travel_draw(&dashboard->travel, cells, cells->height - 2, now);
    struct offers offers = offers_of(dashboard, &scene);
    footer_draw(&dashboard->footer, cells, &offers, top_of(dashboard)->filter, now.mono_us);
}

bool dashboard_is_stale(const struct dashboard *dashboard)
{
    struct moment now = now_of(dashboard);
    if (dashboard->touched || now.wall_us / 1000000 != dashboard->drawn_second)
        return true;
    if (dashboard->travel.away)
        return dashboard_is_playing(dashboard) && now.mono_us - dashboard->drawn_us >= PLAYED_US;
    const struct workbench *bench = dashboard->workbench;
    if (dashboard->levels[dashboard->level_count - 1].view->ops->opened_by == ACTION_INJECT && bench &&
        bench->is_busy(bench->context) && now.mono_us - dashboard->drawn_us >= RUN_US)
        return true;
    return !dashboard->frozen && dashboard->model->generation != dashboard->drawn_generation;
}
