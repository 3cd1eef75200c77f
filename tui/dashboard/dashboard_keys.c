#include "tui/dashboard/dashboard_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/times.h"
#include "probe/election/model.h"
#include "probe/history/snapshot.h"
#include "tui/dashboard/jump.h"
#include "tui/views/run_control_interface.h"
#include "tui/words/election_filter.h"

#define WHEEL_LINES 3

/* A moment that is not recorded, or not yet, is shown as the present. */
static void go_to(struct dashboard *dashboard, const struct destination *to)
{
    struct replay_keys_note note = {0};
    bool now = to->path && !replay_keys_reaches(&dashboard->replay_keys, to->at_us);
    dashboard_resume(dashboard);
    bool there = now || replay_keys_to(&dashboard->replay_keys, to->at_us, &note);
    dashboard_show_note(dashboard, &note);
    if (there && to->path)
        dashboard_push(dashboard, election_view_new(to->cluster, to->path));
}

/* A list of elections is arranged as the first one, and its filter is the level's: Esc ends it. */
static void dashboard_open(struct dashboard *dashboard, struct view *next)
{
    const char *filter = overview_view_filter(next);
    if (filter)
        overview_view_arrange_as(next, dashboard->levels[0].view);
    dashboard_push(dashboard, next);
    if (filter && dashboard_top(dashboard)->view == next)
        dashboard_filter(dashboard, filter);
}

/* The choice is that of all lists of elections. */
static enum dashboard_wish take_columns(struct dashboard *dashboard)
{
    struct view *view = dashboard_top(dashboard)->view;
    if (!overview_view_filter(view) ||
        !overview_view_take_choice(view, dashboard->columns, sizeof dashboard->columns))
        return DASHBOARD_NOTHING;
    for (size_t i = 0; i < dashboard->level_count; i++)
        if (overview_view_filter(dashboard->levels[i].view))
            overview_view_arrange(dashboard->levels[i].view, NULL, dashboard->columns);
    return DASHBOARD_KEEP_COLUMNS;
}

static void follow_result(struct dashboard *dashboard, enum view_result result, struct view *next)
{
    if (result == VIEW_TRAVEL) {
        struct view *view = dashboard_top(dashboard)->view;
        struct destination to = view->ops->destination(view);
        go_to(dashboard, &to);
    } else if (result == VIEW_OPEN)
        dashboard_open(dashboard, next);
    else if (result == VIEW_CLOSE && dashboard->level_count > 1)
        dashboard_pop(dashboard);
    else if (result == VIEW_ASK) {
        dashboard->footer.typing = TYPING_ANSWER;
        dashboard->footer.typed[0] = '\0';
    }
}

static enum view_result ask_view(struct dashboard *dashboard, enum action action)
{
    struct view *view = dashboard_top(dashboard)->view, *next = NULL;
    struct scene scene = dashboard_scene(dashboard);
    enum view_result result = view->ops->action(view, &scene, action, &next);
    follow_result(dashboard, result, next);
    return result;
}

static void move_in_time(struct dashboard *dashboard, enum action action)
{
    struct replay_keys_note note = {0};
    if (action == ACTION_GO_TO && dashboard->replay_keys.past) {
        dashboard->footer.typing = TYPING_TIME;
        dashboard->footer.typed[0] = '\0';
        return;
    }
    dashboard_resume(dashboard);
    const struct view *view = dashboard_top(dashboard)->view;
    const struct history_filter within = {.cluster = view->cluster, .election = view->path};
    replay_keys_act(&dashboard->replay_keys, action, dashboard_now(dashboard), &within, &note);
    dashboard_show_note(dashboard, &note);
}

static void go_back(struct dashboard *dashboard)
{
    struct level *level = dashboard_top(dashboard);
    if (level->filter[0])
        dashboard_filter(dashboard, "");
    else if (ask_view(dashboard, ACTION_BACK) != VIEW_IGNORED)
        return;
    else if (dashboard->level_count > 1)
        dashboard_pop(dashboard);
    else if (dashboard->replay_keys.away && dashboard->replay_keys.live)
        move_in_time(dashboard, ACTION_LIVE);
}

/* A screen that a key opens from everywhere. */
static struct view *open_screen(enum action action)
{
    return action == ACTION_EVENTS     ? events_view_new()
           : action == ACTION_FINDINGS ? findings_view_new()
           : action == ACTION_ENSEMBLE ? ensemble_view_new()
                                       : explanations_view_new(NULL);
}

/* The first moment is marked, the second one opens the comparison; in it one may move on in time. */
static void compare(struct dashboard *dashboard)
{
    struct scene scene = dashboard_scene(dashboard);
    if (dashboard_top(dashboard)->view->ops->opened_by == ACTION_COMPARE)
        return;
    if (dashboard->marked) {
        dashboard_push(dashboard, compare_view_new(dashboard->marked, dashboard->marked_at));
        dashboard->marked = NULL;
        return;
    }
    dashboard->marked = snapshot_model_of(scene.model, scene.now.wall_us);
    dashboard->marked_at = scene.now;
    if (dashboard->marked)
        dashboard_say_key(dashboard, ROLE_GOOD, "this moment is marked: at another one,", ACTION_COMPARE,
                          "lists what differs");
    else
        dashboard_say(dashboard, ROLE_WARNING, "there is too much on display to mark it");
}

/* The form, for the election that is selected, if one is. */
static void open_inject(struct dashboard *dashboard)
{
    struct scene scene = dashboard_scene(dashboard);
    char path[PATH_BYTES];
    const struct election *election = dashboard_selected(dashboard, &scene, path);
    dashboard_push(dashboard,
                   inject_view_new(election ? election->path : NULL, election ? election->name : NULL));
}

/* A run of test candidates does not end by a slip of the finger. */
static enum dashboard_wish quit(struct dashboard *dashboard)
{
    const struct run_control_interface *control = dashboard->control;
    int64_t now_us = dashboard_now(dashboard).mono_us;
    if (!control || !control->is_busy(control->context) || now_us < dashboard->quit_until_us)
        return DASHBOARD_QUIT;
    dashboard->quit_until_us = now_us + MESSAGE_US;
    dashboard_say_key(dashboard, ROLE_WARNING, "test candidates are running:", ACTION_QUIT,
                      "again ends the run, removes them and quits");
    return DASHBOARD_NOTHING;
}

/* The one place where it is decided whether a key that writes may: where the footer may show it. */
static bool may_write(struct dashboard *dashboard, enum action action)
{
    const struct key_binding *binding = key_binding_of(action);
    if (!binding || !binding->writes)
        return true;
    struct scene scene = dashboard_scene(dashboard);
    struct key_help key_help = dashboard_key_help(dashboard, &scene);
    if (!scene.control)
        dashboard_say(dashboard, ROLE_DIM,
                      scene.past ? "this is a replay: no test candidate can run"
                                 : "no live cluster is shown, so no test candidate can run");
    return key_help_key(&key_help, action);
}

static void show_help(struct dashboard *dashboard)
{
    const struct view_ops *ops = dashboard_top(dashboard)->view->ops;
    struct scene scene = dashboard_scene(dashboard);
    struct key_help key_help = dashboard_key_help(dashboard, &scene);
    if (ops->opened_by == ACTION_HELP)
        dashboard_pop(dashboard);
    else
        dashboard_push(dashboard, help_view_new(ops->name, key_help_all(&key_help)));
}

/* The filter shows one cluster only: the next one, and all again after the last. */
static void next_cluster(struct dashboard *dashboard)
{
    struct level *level = dashboard_top(dashboard);
    struct scene scene = dashboard_scene(dashboard);
    size_t count = scene.model->cluster_count, next = 0;
    char filter[FILTER_BYTES];
    if (!level->view->ops->filter || count < 2) {
        dashboard_say(dashboard, ROLE_DIM,
                      count < 2 ? "there is only one cluster" : "this screen is about one cluster");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        snprintf(filter, sizeof filter, "cluster:%.100s", scene.model->clusters[i].name);
        next = strcmp(filter, level->filter) == 0 ? i + 1 : next;
    }
    if (next == count)
        filter[0] = '\0';
    else
        snprintf(filter, sizeof filter, "cluster:%.100s", scene.model->clusters[next].name);
    dashboard_filter(dashboard, filter);
}

static enum dashboard_wish dashboard_act(struct dashboard *dashboard, enum action action)
{
    struct view *view = dashboard_top(dashboard)->view;
    if (replay_keys_knows(&dashboard->replay_keys, action)) {
        move_in_time(dashboard, action);
        return DASHBOARD_NOTHING;
    }
    if (!may_write(dashboard, action))
        return DASHBOARD_NOTHING;
    if (action >= ACTION_COMMAND)
        return dashboard_run_command(dashboard, (size_t)(action - ACTION_COMMAND));
    switch (action) {
    case ACTION_QUIT:
        return quit(dashboard);
    case ACTION_COPY_FINDING:
        return dashboard_copy_finding(dashboard);
    case ACTION_MUTE:
        dashboard_begin_mute(dashboard);
        break;
    case ACTION_TELL:
        dashboard_tell_selected(dashboard);
        break;
    case ACTION_REPORT:
        return dashboard_report_selected(dashboard);
    case ACTION_BUNDLE:
    case ACTION_PSEUDONYMS:
        return dashboard_bundle_moment(dashboard, action == ACTION_PSEUDONYMS);
    case ACTION_CLUSTER:
        next_cluster(dashboard);
        break;
    case ACTION_JUMP:
        dashboard->footer.typing = TYPING_JUMP;
        dashboard->footer.typed[0] = '\0';
        break;
    case ACTION_COMPARE:
        compare(dashboard);
        break;
    case ACTION_INJECT:
        open_inject(dashboard);
        break;
    case ACTION_REDRAW:
        return DASHBOARD_REDRAW;
    case ACTION_RELOAD:
        return DASHBOARD_RELOAD;
    case ACTION_DUMP:
        return DASHBOARD_DUMP;
    case ACTION_COPY:
        return dashboard_copy_path(dashboard);
    case ACTION_CLEAR:
        return dashboard_clear_finding(dashboard);
    case ACTION_BACK:
        go_back(dashboard);
        break;
    case ACTION_PAUSE:
        if (dashboard->frozen)
            dashboard_resume(dashboard);
        else
            dashboard_freeze(dashboard);
        break;
    case ACTION_FILTER:
        dashboard->footer.typing = view->ops->filter != NULL ? TYPING_FILTER : TYPING_UNHEARD;
        dashboard->footer.typed[0] = '\0';
        break;
    case ACTION_HISTORY:
        dashboard_open_history(dashboard);
        ask_view(dashboard, action);
        break;
    case ACTION_EVENTS:
    case ACTION_FINDINGS:
    case ACTION_ENSEMBLE:
    case ACTION_EXPLAIN:
        if (ask_view(dashboard, action) == VIEW_IGNORED && view->ops->opened_by != action)
            dashboard_push(dashboard, open_screen(action));
        break;
    case ACTION_OPEN:
        ask_view(dashboard, action);
        return take_columns(dashboard);
    case ACTION_HELP:
        show_help(dashboard);
        break;
    default:
        ask_view(dashboard, action);
        break;
    }
    return DASHBOARD_NOTHING;
}

/* Says that other elections match as well as the one that is shown. */
static void say_alike(struct dashboard *dashboard, size_t alike, const char *text)
{
    char message[200];
    if (alike < 2)
        return;
    snprintf(message, sizeof message, "the first of %zu with \"%.60s\"; after %s Tab shows the next", alike,
             text, key_first(ACTION_JUMP));
    dashboard_say(dashboard, ROLE_DIM, message);
}

static void back_to_overview(struct dashboard *dashboard)
{
    while (dashboard->level_count > 1)
        dashboard_pop(dashboard);
}

static void jump_act(struct dashboard *dashboard, const struct jump_match *match)
{
    struct scene scene = dashboard_scene(dashboard);
    struct key_help key_help = dashboard_key_help(dashboard, &scene);
    char text[80];
    if (match->sort || match->action == ACTION_NONE)
        back_to_overview(dashboard);
    if (match->sort)
        overview_view_arrange(dashboard->levels[0].view, match->sort, NULL);
    else if (match->action != ACTION_NONE && !key_help_key(&key_help, match->action)) {
        snprintf(text, sizeof text, "on this screen, \"%s\" does nothing", match->name);
        dashboard_say(dashboard, ROLE_DIM, text);
    } else if (match->action != ACTION_NONE)
        dashboard->wish = dashboard_act(dashboard, match->action);
}

static bool jump_to_name(struct dashboard *dashboard, const struct scene *scene, const char *text)
{
    struct jump_match *matches;
    size_t alike, count = jump_matches(scene->model, text, &matches, &alike);
    struct jump_match best = count ? matches[0] : (struct jump_match){0};
    free(matches);
    if (count == 0 || best.guessed)
        return false;
    if (best.election) {
        overview_view_select(dashboard->levels[0].view, best.election);
        dashboard_push(dashboard, election_view_new(best.election->cluster->name, best.election->path));
        say_alike(dashboard, strcasecmp(best.name, text) == 0 ? 1 : alike, text);
    } else
        jump_act(dashboard, &best);
    return true;
}

/* Where : goes: a cluster, an election, a time, or what an action does. False: nowhere. */
static bool jump_to(struct dashboard *dashboard, const char *text)
{
    struct scene scene = dashboard_scene(dashboard);
    struct view *view = dashboard_top(dashboard)->view;
    struct replay_keys_note note = {0};
    int64_t at_us;
    for (size_t i = 0; scene.model->cluster_count > 1 && i < scene.model->cluster_count; i++)
        if (strcmp(text, scene.model->clusters[i].name) == 0) {
            char filter[FILTER_BYTES];
            snprintf(filter, sizeof filter, "cluster:%.100s", text);
            back_to_overview(dashboard);
            dashboard_filter(dashboard, filter);
            return true;
        }
    if (jump_to_name(dashboard, &scene, text) ||
        (view->ops->show && !time_parse(text, scene.now.wall_us, &at_us) &&
         view->ops->show(view, &scene, at_us)))
        return true;
    if (!dashboard->replay_keys.past ||
        !replay_keys_to_typed(&dashboard->replay_keys, text, dashboard_now(dashboard), &note))
        return false;
    dashboard_resume(dashboard); /* what leads nowhere leaves a pause as it is */
    dashboard_show_note(dashboard, &note);
    return true;
}

static bool jump(struct dashboard *dashboard, const char *text)
{
    size_t before = dashboard->level_count;
    bool there = jump_to(dashboard, text);
    if (dashboard->level_count > before)
        dashboard_top(dashboard)->jumped = true;
    return there;
}

/* Tab completes to the name that fits best, and each further Tab to the next. False: nothing fits. */
static bool complete_jump(struct dashboard *dashboard)
{
    struct scene scene = dashboard_scene(dashboard);
    struct footer *footer = &dashboard->footer;
    struct jump_match *matches;
    size_t alike;
    if (!footer->typed[0])
        return false;
    if (footer->tabs == 0)
        memcpy(footer->tabbed, footer->typed, sizeof footer->tabbed);
    size_t count = jump_matches(scene.model, footer->tabbed, &matches, &alike);
    if (count)
        snprintf(footer->typed, sizeof footer->typed, "%s", matches[footer->tabs++ % count].name);
    free(matches);
    return count > 0;
}

/* What is no name may be a host, an identity or a session: the elections that / finds. False: none. */
static bool jump_to_found(struct dashboard *dashboard, const char *text)
{
    struct scene scene = dashboard_scene(dashboard);
    for (size_t i = 0; i < scene.model->cluster_count; i++)
        for (size_t j = 0; j < scene.model->clusters[i].election_count; j++)
            if (election_filter_match(text, scene.model->clusters[i].elections[j], scene.now)) {
                back_to_overview(dashboard);
                dashboard_filter(dashboard, text);
                return true;
            }
    return false;
}

/* False: the typed text has no target, so the line stays open for a correction. */
static bool take_typed(struct dashboard *dashboard, enum typing typing, const char *typed)
{
    struct replay_keys_note note = {0};
    if (typing == TYPING_JUMP && typed[0])
        return jump(dashboard, typed);
    if (typing == TYPING_MUTE)
        return dashboard_take_mute(dashboard, typed);
    if (typing == TYPING_TIME && typed[0]) {
        bool there = replay_keys_to_typed(&dashboard->replay_keys, typed, dashboard_now(dashboard), &note);
        if (there)
            dashboard_resume(dashboard);
        dashboard_show_note(dashboard, &note);
        return there;
    } else if (typing == TYPING_ANSWER) {
        struct view *view = dashboard_top(dashboard)->view;
        struct scene scene = dashboard_scene(dashboard);
        view->ops->answer(view, &scene, typed);
    }
    return true;
}

/* Enter. The action may begin another line. */
static void end_line(struct dashboard *dashboard)
{
    struct footer line = dashboard->footer;
    dashboard->footer.typing = TYPING_NOTHING;
    if (take_typed(dashboard, line.typing, line.typed))
        return;
    dashboard->footer.typing = line.typing;
    memcpy(dashboard->footer.typed, line.typed, sizeof line.typed);
    if (line.typing != TYPING_JUMP)
        return;
    if (complete_jump(dashboard))
        dashboard_say(dashboard, ROLE_WARNING, "Enter does this");
    else if (jump_to_found(dashboard, line.typed))
        dashboard->footer.typing = TYPING_NOTHING;
    else
        dashboard_say(dashboard, ROLE_WARNING, "no such election, host, action or time");
}

/* True: the key belonged to the line that is being typed. A filter holds at once, the others when they are
   whole. */
static bool type_line(struct dashboard *dashboard, int key)
{
    bool filters = dashboard->footer.typing == TYPING_FILTER;
    if (dashboard->footer.typing == TYPING_JUMP && key == '\t') {
        complete_jump(dashboard);
        return true;
    }
    char *text = filters ? dashboard_top(dashboard)->filter : dashboard->footer.typed;
    enum typed typed = typed_line_key(text, filters ? FILTER_BYTES : sizeof dashboard->footer.typed, key);
    dashboard->footer.tabs = 0;
    if (typed == TYPED_NOT) /* arrows and clicks still move, but nothing may change under an answer */
        return dashboard->footer.typing == TYPING_ANSWER || dashboard->footer.typing == TYPING_MUTE;
    if (filters && typed != TYPED_NOTHING)
        dashboard_filter(dashboard, text);
    if (typed == TYPED_KEPT)
        end_line(dashboard);
    else if (typed == TYPED_ENDED)
        dashboard->footer.typing = TYPING_NOTHING;
    return true;
}

static enum dashboard_wish click(struct dashboard *dashboard, int x, int y, bool twice)
{
    struct view *view = dashboard_top(dashboard)->view, *next = NULL;
    struct scene scene = dashboard_scene(dashboard);
    struct replay_keys_note note = {0};
    enum action action = footer_action_at(&dashboard->footer, x, y);
    if (action != ACTION_NONE) /* of two quick clicks on a key each counts, as if it were pressed */
        return dashboard_act(dashboard, action);
    if (replay_keys_click(&dashboard->replay_keys, x, y, &note)) {
        dashboard_show_note(dashboard, &note);
        return DASHBOARD_NOTHING;
    }
    y = moved_rows_meant(&dashboard->moved, y, twice, dashboard_now(dashboard).mono_us);
    if (y < 1 || !view->ops->click)
        return DASHBOARD_NOTHING;
    enum view_result result = view->ops->click(view, &scene, x, y - 1, twice, &next);
    follow_result(dashboard, result, next);
    return DASHBOARD_NOTHING;
}

enum dashboard_wish dashboard_key(struct dashboard *dashboard, int key, int x, int y)
{
    dashboard->touched = true;
    dashboard->acquainted = true;
    dashboard->footer.message_until_us = 0;
    dashboard->footer.told[0] = '\0';
    if (dashboard->footer.typing && type_line(dashboard, key)) {
        enum dashboard_wish wish = dashboard->wish;
        dashboard->wish = DASHBOARD_NOTHING;
        return wish;
    }
    if (key == KEY_CODE_CLICK || key == KEY_CODE_DOUBLE_CLICK)
        return click(dashboard, x, y, key == KEY_CODE_DOUBLE_CLICK);
    if (key == KEY_CODE_WHEEL_UP || key == KEY_CODE_WHEEL_DOWN) {
        for (int i = 0; i < WHEEL_LINES; i++)
            ask_view(dashboard, key == KEY_CODE_WHEEL_UP ? ACTION_UP : ACTION_DOWN);
        return DASHBOARD_NOTHING;
    }
    enum action action = key_action(key);
    return action == ACTION_NONE ? DASHBOARD_NOTHING : dashboard_act(dashboard, action);
}

enum dashboard_wish dashboard_paste(struct dashboard *dashboard, int character)
{
    if (dashboard->footer.typing) {
        dashboard->touched = true;
        type_line(dashboard, character);
    }
    return DASHBOARD_NOTHING;
}
