#include "tui/dashboard.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/utf8.h"
#include "tui/screen/keys.h"
#include "tui/text/safe.h"
#include "tui/title.h"
#include "tui/views/view.h"

#define LEVELS_MOST 16
#define FILTER_BYTES 128
#define MESSAGE_US INT64_C(5000000)
#define WHEEL_LINES 3
#define KEY_CLEAR 21 /* Ctrl-U, as in a shell */

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
    bool typing; /* a filter */

    struct model *frozen; /* while paused: the picture that stands still */
    struct event_log *frozen_events;
    struct moment frozen_at;

    char message[256];
    style message_role;
    int64_t message_until_us; /* 0: none */
    char copied[4096];
    struct belief belief;    /* that c shall clear ... */
    int64_t belief_until_us; /* ... where it is pressed again before then; 0: it has not been */

    bool touched; /* by a key, since the last drawing */
    uint64_t drawn_generation;
    int64_t drawn_second;
};

static struct moment now_of(const struct dashboard *dashboard)
{
    return dashboard->clock(dashboard->clock_context);
}

static struct scene scene_of(const struct dashboard *dashboard)
{
    bool paused = dashboard->frozen != NULL;
    return (struct scene){
        .model = paused ? dashboard->frozen : dashboard->model,
        .events = paused ? dashboard->frozen_events : dashboard->events,
        .settings = dashboard->settings,
        .now = paused ? dashboard->frozen_at : now_of(dashboard),
        .paused = paused,
    };
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
    }
}

static void pop(struct dashboard *dashboard)
{
    struct view *view = top_of(dashboard)->view;
    dashboard->level_count--;
    dashboard->typing = false;
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
    snprintf(dashboard->message, sizeof(dashboard->message), "%s", text);
    dashboard->message_role = role;
    dashboard->message_until_us = now_of(dashboard).mono_us + MESSAGE_US;
    dashboard->touched = true;
}

const char *dashboard_copied(const struct dashboard *dashboard)
{
    return dashboard->copied;
}

/* Keys. */

static void follow_result(struct dashboard *dashboard, enum view_result result, struct view *next)
{
    if (result == VIEW_OPEN)
        push(dashboard, next);
    else if (result == VIEW_CLOSE && dashboard->level_count > 1)
        pop(dashboard);
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

/* The screens that a key opens from everywhere. */
static const struct {
    enum action action;
    const char *name;
} screens[] = {{ACTION_EVENTS, "events"},
               {ACTION_FINDINGS, "findings"},
               {ACTION_ENSEMBLE, "ensemble"},
               {ACTION_EXPLAIN, "explanations"}};

static bool is_open(struct dashboard *dashboard, enum action action)
{
    for (size_t i = 0; i < sizeof(screens) / sizeof(*screens); i++)
        if (screens[i].action == action)
            return strcmp(top_of(dashboard)->view->ops->name, screens[i].name) == 0;
    return false;
}

static struct view *open_screen(enum action action)
{
    return action == ACTION_EVENTS     ? events_view_new()
           : action == ACTION_FINDINGS ? findings_view_new()
           : action == ACTION_ENSEMBLE ? ensemble_view_new()
                                       : explanations_view_new(FINDING_NO_LEADER);
}

static enum dashboard_wish act(struct dashboard *dashboard, enum action action)
{
    struct view *view = top_of(dashboard)->view;
    switch (action) {
    case ACTION_QUIT:
        return DASHBOARD_QUIT;
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
        dashboard->typing = view->ops->filter != NULL;
        break;
    case ACTION_EVENTS:
    case ACTION_FINDINGS:
    case ACTION_ENSEMBLE:
    case ACTION_EXPLAIN:
        if (ask_view(dashboard, action) == VIEW_IGNORED && !is_open(dashboard, action))
            push(dashboard, open_screen(action));
        break;
    case ACTION_HELP:
        if (strcmp(view->ops->name, "help") == 0)
            pop(dashboard);
        else
            push(dashboard, help_view_new(view->ops->name));
        break;
    default:
        ask_view(dashboard, action);
        break;
    }
    return DASHBOARD_NOTHING;
}

/* True: the key belonged to the line that is being typed. */
static bool type_filter(struct dashboard *dashboard, int key)
{
    char *filter = top_of(dashboard)->filter, bytes[4];
    size_t length = strlen(filter), more;
    if (key == KEY_CODE_ENTER) {
        dashboard->typing = false;
    } else if (key == KEY_CODE_ESCAPE) {
        dashboard->typing = false;
        filter[0] = '\0';
    } else if (key == KEY_CLEAR) {
        filter[0] = '\0';
    } else if (key == KEY_CODE_BACKSPACE) {
        while (length > 0 && ((unsigned char)filter[--length] & 0xc0) == 0x80)
            ;
        filter[length] = '\0';
    } else if (key >= 0x20 && key != 0x7f && key < KEY_CODE_BASE &&
               (more = utf8_encode((uint32_t)key, bytes)) > 0) {
        if (length + more >= FILTER_BYTES)
            return true;
        memcpy(filter + length, bytes, more);
        filter[length + more] = '\0';
    } else {
        return key < KEY_CODE_BASE; /* arrows and the mouse still move; other control keys do nothing */
    }
    set_filter(dashboard, filter);
    return true;
}

static void click(struct dashboard *dashboard, int x, int y, bool twice)
{
    struct view *view = top_of(dashboard)->view, *next = NULL;
    struct scene scene = scene_of(dashboard);
    if (y < 1 || !view->ops->click)
        return;
    enum view_result result = view->ops->click(view, &scene, x, y - 1, twice, &next);
    follow_result(dashboard, result, next);
}

enum dashboard_wish dashboard_key(struct dashboard *dashboard, int key, int x, int y)
{
    dashboard->touched = true;
    dashboard->message_until_us = 0;
    if (dashboard->typing && type_filter(dashboard, key))
        return DASHBOARD_NOTHING;
    if (key == KEY_CODE_CLICK || key == KEY_CODE_DOUBLE_CLICK) {
        click(dashboard, x, y, key == KEY_CODE_DOUBLE_CLICK);
        return DASHBOARD_NOTHING;
    }
    if (key == KEY_CODE_WHEEL_UP || key == KEY_CODE_WHEEL_DOWN) {
        for (int i = 0; i < WHEEL_LINES; i++)
            ask_view(dashboard, key == KEY_CODE_WHEEL_UP ? ACTION_UP : ACTION_DOWN);
        return DASHBOARD_NOTHING;
    }
    enum action action = key_action(key);
    return action == ACTION_NONE ? DASHBOARD_NOTHING : act(dashboard, action);
}

/* Drawing. */

static bool is_offered(struct dashboard *dashboard, enum action action)
{
    struct level *level = top_of(dashboard);
    const struct view_ops *ops = level->view->ops;
    switch (action) {
    case ACTION_BACK:
        return dashboard->level_count > 1 || level->filter[0];
    case ACTION_FILTER:
        return ops->filter != NULL;
    case ACTION_COPY:
        return ops->path != NULL;
    case ACTION_EVENTS:
    case ACTION_FINDINGS:
    case ACTION_ENSEMBLE:
        return !is_open(dashboard, action);
    case ACTION_PAUSE:
    case ACTION_HELP:
    case ACTION_QUIT:
        return true;
    default:
        return ops->answers == 0 || (ops->answers & ACTION_BIT(action));
    }
}

static const char *key_name(const struct cells *cells, const struct key_binding *binding, char *buffer,
                            size_t size)
{
    if (binding->action == ACTION_OPEN)
        return cells_sign(cells, SIGN_ENTER);
    snprintf(buffer, size, "%.*s", (int)strcspn(binding->keys, " "), binding->keys);
    return buffer;
}

/* Draws one key and its word at x, or only measures it where cells has no room; returns its columns. */
static int put_key(struct cells *cells, int x, int y, int end, const struct key_binding *binding,
                   const char *word)
{
    char buffer[16];
    const char *key = key_name(cells, binding, buffer, sizeof(buffer));
    int key_width = safe_width(key, strlen(key), cells->ascii), width = key_width + 1 + (int)strlen(word);
    if (x + width > end)
        return 0;
    cells_put(cells, x, y, key_width, ROLE_KEY, key);
    cells_put(cells, x + key_width + 1, y, -1, ROLE_DIM, word);
    return width + 2;
}

static void draw_keys(struct dashboard *dashboard, struct cells *cells, int x, int y)
{
    size_t count;
    const struct key_binding *bindings = key_bindings(&count);
    int kept = (int)strlen("? help  q quit"), end = cells->width - 1;
    for (size_t i = 0; i < count; i++) {
        const struct key_binding *binding = &bindings[i];
        if (!binding->footer || !is_offered(dashboard, binding->action))
            continue;
        bool keep = binding->action == ACTION_HELP || binding->action == ACTION_QUIT;
        const char *word = binding->action == ACTION_PAUSE && dashboard->frozen ? "go on" : binding->footer;
        x += put_key(cells, x, y, keep ? end : end - kept - 2, binding, word);
    }
}

static void draw_footer(struct dashboard *dashboard, struct cells *cells, struct moment now)
{
    const char *filter = top_of(dashboard)->filter;
    int y = cells->height - 1, x = 1;
    if (dashboard->typing) {
        static const char hint[] = "Enter keeps it   Esc ends it";
        x += cells_put(cells, x, y, 1, ROLE_KEY, "/");
        /* Of a filter longer than the line its end is shown: that is where one types. */
        size_t length = strlen(filter), start = 0, eaten;
        char unit[SAFE_UNIT];
        int width;
        while (start < length &&
               safe_width(filter + start, length - start, cells->ascii) > cells->width - 3) {
            eaten = safe_unit(filter + start, length - start, cells->ascii, unit, &width);
            start += eaten;
        }
        x += cells_put(cells, x, y, -1, ROLE_STRONG, filter + start);
        cells->cursor_x = x < cells->width ? x : cells->width - 1;
        cells->cursor_y = y;
        if (x + 3 + (int)sizeof(hint) < cells->width)
            cells_put_right(cells, cells->width - 1, y, -1, ROLE_DIM, hint);
        return;
    }
    if (dashboard->message_until_us > now.mono_us) {
        cells_put(cells, x, y, cells->width - 2, dashboard->message_role, dashboard->message);
        return;
    }
    if (filter[0]) {
        x += cells_put(cells, x, y, -1, ROLE_DIM, "filter ");
        x += cells_put(cells, x, y, cells->width / 3, ROLE_ACCENT | STYLE_BOLD, filter) + 3;
    }
    draw_keys(dashboard, cells, x, y);
}

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

void dashboard_draw(struct dashboard *dashboard, struct cells *cells)
{
    struct moment now = now_of(dashboard);
    struct scene scene = scene_of(dashboard);
    dashboard->touched = false;
    dashboard->drawn_generation = scene.model->generation;
    dashboard->drawn_second = now.wall_us / 1000000;
    cells_clear(cells);
    if (cells->width < DASHBOARD_WIDTH_LEAST || cells->height < DASHBOARD_HEIGHT_LEAST) {
        draw_too_small(cells);
        return;
    }
    struct view *view = top_of(dashboard)->view;
    /* The view's part of the grid is a grid of its own, on the same cells: it cannot write beyond it. */
    struct cells body = {.width = cells->width,
                         .height = cells->height - 2,
                         .at = cells->at + cells->width,
                         .ascii = cells->ascii,
                         .cursor_x = -1,
                         .cursor_y = -1};
    view->ops->draw(view, &scene, &body);
    title_draw(cells, view, dashboard->level_count == 1, &scene,
               scene.paused ? now.mono_us - dashboard->frozen_at.mono_us : -1, now.wall_us);
    draw_footer(dashboard, cells, now);
}

bool dashboard_is_stale(const struct dashboard *dashboard)
{
    return dashboard->touched || now_of(dashboard).wall_us / 1000000 != dashboard->drawn_second ||
           (!dashboard->frozen && dashboard->model->generation != dashboard->drawn_generation);
}
