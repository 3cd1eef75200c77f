#include "tui/dashboard/dashboard.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/connect_string.h"
#include "config/memory.h"
#include "config/times.h"
#include "config/units.h"
#include "probe/election/model.h"
#include "probe/history/snapshot.h"
#include "tui/dashboard/jump.h"
#include "tui/dashboard/moved_rows.h"
#include "tui/dashboard/replay.h"
#include "tui/dashboard/row_command.h"
#include "tui/dashboard/tell.h"
#include "tui/dashboard/title_footer.h"
#include "tui/screen/key_bindings.h"
#include "tui/screen/safe.h"
#include "tui/views/run_control_interface.h"
#include "tui/views/view.h"
#include "tui/words/election_filter.h"
#include "tui/words/finding_lines.h"
#include "tui/words/mutes.h"

#define LEVELS_MOST 16
#define FILTER_BYTES 128
#define MESSAGE_US INT64_C(5000000)
#define WHEEL_LINES 3
#define RUN_US INT64_C(250000)   /* a run goes on */
#define PLAYED_US INT64_C(40000) /* a picture at most this often */

#define PATH_BYTES 4096
#define COPIED_COLUMNS 120
#define COPIED_ROWS 200

struct level {
    struct view *view;
    char filter[FILTER_BYTES]; /* "": none */
    bool jumped;               /* it was opened by a jump: its title does not name the view below */
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
    char back_to[48];         /* of the key for it, after a jump */
    enum dashboard_wish wish; /* of the action that was named after : */

    struct snapshot_model *frozen; /* while the display is paused: its moment */
    struct event_log *frozen_events;
    struct moment frozen_at;
    struct snapshot_model *marked; /* to be compared with another moment */
    struct moment marked_at;
    const struct run_control_interface *control;
    bool busy;                      /* it had a run going on when last drawn */
    struct replay_keys replay_keys; /* a moment of the past, shown in place of now */

    char copied[16384];     /* for the clipboard ... */
    char copied_what[4096]; /* ... and what the message calls it */
    int64_t quit_until_us;  /* q quits where it is pressed again before then, although a run is going on */
    struct finding_place muted; /* what the line being typed is about, its candidate the finding's code */
    const char *author;
    void (*mute)(void *context, const struct event *);
    void *mute_context;
    struct tells *tells; /* the caller's; NULL: in a replay */
    char **command;      /* the latest that was to be run; NULL: none */
    const char *command_name;
    struct finding_place reported; /* candidate "": not used */
    struct finding_place clearing; /* that c shall clear ... */
    int64_t clearing_until_us;     /* ... where it is pressed again before then; 0: it has not been */

    char columns[128]; /* of the overview, as the user chose them last */
    bool acquainted;   /* a key was pressed: no hints any more */
    bool touched;      /* by a key, since the last drawing */
    uint64_t drawn_generation;
    int64_t drawn_second, drawn_us;
    struct moved_rows moved;
};

static struct moment dashboard_now_of(const struct dashboard *dashboard)
{
    return dashboard->clock(dashboard->clock_context);
}

static struct scene scene_of(const struct dashboard *dashboard)
{
    const struct replay_keys *replay_keys = &dashboard->replay_keys;
    bool paused = dashboard->frozen != NULL;
    struct scene scene = {
        .model = paused ? snapshot_model_model(dashboard->frozen) : dashboard->model,
        .events = paused ? dashboard->frozen_events : dashboard->events,
        .settings = dashboard->settings,
        .now = paused ? dashboard->frozen_at : dashboard_now_of(dashboard),
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

static struct level *top_of(struct dashboard *dashboard)
{
    return &dashboard->levels[dashboard->level_count - 1];
}

/* A message with the key of an action. */
static void say_key(struct dashboard *dashboard, style role, const char *before, enum action action,
                    const char *after)
{
    char text[128];
    snprintf(text, sizeof text, "%s %s %s", before, key_first(action), after);
    dashboard_say(dashboard, role, text);
}

/* Takes the view, whatever becomes of it. */
static void dashboard_push(struct dashboard *dashboard, struct view *view)
{
    if (dashboard->level_count == LEVELS_MOST) {
        view->ops->free(view);
        say_key(dashboard, ROLE_WARNING, "too many open screens:", ACTION_BACK, "goes back");
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

static void dashboard_resume(struct dashboard *dashboard)
{
    snapshot_model_free(dashboard->frozen);
    event_log_free(dashboard->frozen_events);
    dashboard->frozen = NULL;
    dashboard->frozen_events = NULL;
}

static void freeze(struct dashboard *dashboard)
{
    dashboard->frozen_at = dashboard_now_of(dashboard);
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
        pop(dashboard);
    dashboard_resume(dashboard);
    snapshot_model_free(dashboard->marked);
    host_list_free(dashboard->command);
    free(dashboard);
}

void dashboard_say(struct dashboard *dashboard, style role, const char *text)
{
    footer_say(&dashboard->footer, role, text, dashboard_now_of(dashboard).mono_us + MESSAGE_US);
    dashboard->touched = true;
}

const char *dashboard_copied(const struct dashboard *dashboard)
{
    return dashboard->copied;
}

const char *dashboard_copied_what(const struct dashboard *dashboard)
{
    return dashboard->copied_what;
}

static void dashboard_set_filter(struct dashboard *dashboard, const char *text);

/* Time. */

static void dashboard_show_note(struct dashboard *dashboard, const struct replay_keys_note *note)
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

void dashboard_filter(struct dashboard *dashboard, const char *filter)
{
    dashboard_set_filter(dashboard, filter);
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

/* A recording is opened when the user wants to see it, and not before. */
static void open_history(struct dashboard *dashboard)
{
    if (dashboard->replay_keys.past)
        replay_open(dashboard->replay_keys.past);
}

/* Keys. */

/* NULL: what the title shows, or the overview. */
static const char *back_to(struct dashboard *dashboard)
{
    const struct level *level = top_of(dashboard);
    if (!level->jumped || dashboard->level_count < 3 || level->filter[0])
        return NULL;
    snprintf(dashboard->back_to, sizeof dashboard->back_to, "back to %s", level[-1].view->ops->name);
    return dashboard->back_to;
}

static struct key_help offers_of(struct dashboard *dashboard, const struct scene *scene)
{
    const struct replay_keys *replay_keys = &dashboard->replay_keys;
    return (struct key_help){.view = top_of(dashboard)->view,
                             .scene = scene,
                             .deeper = dashboard->level_count > 1 || top_of(dashboard)->filter[0],
                             .back_to = back_to(dashboard),
                             .recorded = replay_keys->past != NULL,
                             .live = replay_keys->live,
                             .playing = replay_keys->away && replay_pace(replay_keys->past) != 0};
}

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
    if (filter && top_of(dashboard)->view == next)
        dashboard_set_filter(dashboard, filter);
}

/* The choice is that of all lists of elections. */
static enum dashboard_wish take_columns(struct dashboard *dashboard)
{
    struct view *view = top_of(dashboard)->view;
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
        struct view *view = top_of(dashboard)->view;
        struct destination to = view->ops->destination(view);
        go_to(dashboard, &to);
    } else if (result == VIEW_OPEN)
        dashboard_open(dashboard, next);
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

static void dashboard_set_filter(struct dashboard *dashboard, const char *text)
{
    struct level *level = top_of(dashboard);
    if (text != level->filter)
        snprintf(level->filter, sizeof(level->filter), "%.*s", FILTER_BYTES - 1, text);
    level->view->ops->filter(level->view, level->filter);
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
    replay_keys_act(&dashboard->replay_keys, action, dashboard_now_of(dashboard), &note);
    dashboard_show_note(dashboard, &note);
}

static void go_back(struct dashboard *dashboard)
{
    struct level *level = top_of(dashboard);
    if (level->filter[0])
        dashboard_set_filter(dashboard, "");
    else if (ask_view(dashboard, ACTION_BACK) != VIEW_IGNORED)
        return;
    else if (dashboard->level_count > 1)
        pop(dashboard);
    else if (dashboard->replay_keys.away && dashboard->replay_keys.live)
        move_in_time(dashboard, ACTION_LIVE);
}

/* Texts of others reach the clipboard as they are shown: a control character as its escape. */
static enum dashboard_wish dashboard_copy_text(struct dashboard *dashboard, const char *text,
                                               const char *what)
{
    char *safe = safe_text(text, strlen(text), false);
    snprintf(dashboard->copied, sizeof dashboard->copied, "%s", safe);
    snprintf(dashboard->copied_what, sizeof dashboard->copied_what, "%.4000s",
             what ? what : dashboard->copied);
    free(safe);
    return DASHBOARD_COPY;
}

/* Line by line, since a line end is no text of others here. */
static enum dashboard_wish copy_lines(struct dashboard *dashboard, const char *text, const char *what)
{
    size_t used = 0;
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        char *safe = safe_text(line, length, false);
        int more = snprintf(dashboard->copied + used, sizeof dashboard->copied - used, "%s\n", safe);
        free(safe);
        if (more < 0 || (size_t)more >= sizeof dashboard->copied - used)
            break;
        used += (size_t)more;
        line += length + (line[length] == '\n');
    }
    snprintf(dashboard->copied_what, sizeof dashboard->copied_what, "%s", what);
    return DASHBOARD_COPY;
}

/* Where no finding is selected: all of the screen's text, however small the terminal is. */
static enum dashboard_wish copy_screen(struct dashboard *dashboard, struct view *view,
                                       const struct scene *scene)
{
    struct cells *cells = cells_new(COPIED_COLUMNS, COPIED_ROWS);
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        memory_exhausted();
    view->ops->draw(view, scene, cells);
    cells_write(cells, file);
    fclose(file);
    cells_free(cells);
    while (length > 1 && text[length - 1] == '\n' && text[length - 2] == '\n')
        text[--length] = '\0';
    enum dashboard_wish wish = copy_lines(dashboard, text, "the text of this screen");
    free(text);
    return wish;
}

static enum dashboard_wish copy_finding(struct dashboard *dashboard)
{
    struct view *view = top_of(dashboard)->view;
    struct scene scene = scene_of(dashboard);
    const struct election *election = NULL;
    const struct finding *finding = view->ops->finding ? view->ops->finding(view, &scene, &election) : NULL;
    char *text = finding ? finding_ticket(scene.settings, election, finding, scene.now) : NULL;
    char what[128];
    if (!text)
        return copy_screen(dashboard, view, &scene);
    snprintf(what, sizeof what, "%s with its evidence and advice", finding_kind(finding->code)->word);
    enum dashboard_wish wish = copy_lines(dashboard, text, what);
    free(text);
    return wish;
}

static enum dashboard_wish copy_path(struct dashboard *dashboard)
{
    struct view *view = top_of(dashboard)->view;
    struct scene scene = scene_of(dashboard);
    char path[PATH_BYTES];
    if (view->ops->path && view->ops->path(view, &scene, path, sizeof path))
        return dashboard_copy_text(dashboard, path, NULL);
    dashboard_say(dashboard, ROLE_DIM, "the selection has no path");
    return DASHBOARD_NOTHING;
}

/* What m is about is found again when the line is typed: the model has changed meanwhile. */
static void begin_mute(struct dashboard *dashboard)
{
    struct view *view = top_of(dashboard)->view;
    struct scene scene = scene_of(dashboard);
    const struct election *election = NULL;
    const struct finding *finding = view->ops->finding ? view->ops->finding(view, &scene, &election) : NULL;
    struct finding_place *muted = &dashboard->muted;
    if (!dashboard->mute || scene.past) {
        dashboard_say(dashboard, ROLE_DIM, "this is a replay: you cannot mute findings here");
    } else if (!finding) {
        dashboard_say(dashboard, ROLE_DIM, "no finding is selected");
    } else {
        snprintf(muted->cluster, sizeof muted->cluster, "%s", election->cluster->name);
        snprintf(muted->election, sizeof muted->election, "%s", election->path);
        snprintf(muted->candidate, sizeof muted->candidate, "%s", finding_kind(finding->code)->word);
        dashboard->footer.typing = TYPING_MUTE;
        dashboard->footer.typed[0] = '\0';
    }
}

/* The worst finding of that code in that election; NULL: it has gone. */
static const struct finding *muted_finding(const struct dashboard *dashboard, const struct election **about)
{
    const struct finding_place *muted = &dashboard->muted;
    for (unsigned i = 0; i < dashboard->model->cluster_count; i++) {
        const struct election *election = model_election(dashboard->model, i, muted->election);
        if (!election || strcmp(dashboard->model->clusters[i].name, muted->cluster) != 0)
            continue;
        *about = election;
        for (size_t k = 0; k < election->finding_count; k++)
            if (strcmp(finding_kind(election->findings[k]->code)->word, muted->candidate) == 0)
                return election->findings[k];
    }
    return NULL;
}

/* "08:00", "tomorrow 08:00": how long until then. Returns the bytes read; 0: it is no such time. */
static size_t until_clock(const char *typed, int64_t now_us, int64_t *ms)
{
    static const char tomorrow[] = "tomorrow ";
    bool later = strncmp(typed, tomorrow, sizeof tomorrow - 1) == 0;
    const char *clock = typed + (later ? sizeof tomorrow - 1 : 0);
    time_t now_s = (time_t)(now_us / 1000000);
    int hour, minute, used = 0;
    struct tm tm;
    if (sscanf(clock, "%2d:%2d%n", &hour, &minute, &used) != 2 || (clock[used] && clock[used] != ' ') ||
        hour < 0 || hour > 23 || minute < 0 || minute > 59 || !localtime_r(&now_s, &tm))
        return 0;
    bool passed = hour * 60 + minute <= tm.tm_hour * 60 + tm.tm_min;
    tm.tm_mday += later || passed;
    tm.tm_hour = hour;
    tm.tm_min = minute;
    tm.tm_sec = 0;
    tm.tm_isdst = -1;
    *ms = (int64_t)mktime(&tm) * 1000 - now_us / 1000;
    return (size_t)(clock - typed) + (size_t)used;
}

/* How long, from the beginning of the line: a duration, a clock time, or an hour. Returns the bytes read. */
static size_t mute_length(const char *typed, int64_t now_us, int64_t *ms, const char **problem)
{
    size_t used = until_clock(typed, now_us, ms);
    char length[32];
    *problem = NULL;
    if (used > 0)
        return used;
    used = strcspn(typed, " ");
    snprintf(length, sizeof length, "%.*s", (int)used, typed);
    *ms = strcmp(length, "0") == 0 ? 0 : INT64_C(3600) * 1000;
    if (*length && *ms > 0)
        *problem = duration_parse(length, ms);
    return used;
}

/* "2h known, OPS-12": how long, and why. False: the line stays open, to be corrected. */
static bool take_mute(struct dashboard *dashboard, const char *typed)
{
    struct moment now = dashboard_now_of(dashboard);
    char until[32], text[256];
    const char *problem;
    int64_t ms;
    size_t used = mute_length(typed, now.wall_us, &ms, &problem);
    if (problem || ms > MUTE_MOST_MS) {
        dashboard_say(dashboard, ROLE_WARNING,
                      problem ? "enter 30m, 2h, 08:00 or \"tomorrow 08:00\", then a note" : "at most 7d");
        return false;
    }
    const struct election *election = NULL;
    const struct finding *finding = muted_finding(dashboard, &election);
    if (!finding) {
        dashboard_say(dashboard, ROLE_DIM, "the finding has been cleared");
        return true;
    }
    const struct event event = {.kind = EVENT_FINDING_MUTED,
                                .at = now,
                                .cluster = election->cluster,
                                .election = election,
                                .finding = finding,
                                .identity = dashboard->author,
                                .detail = typed + used + strspn(typed + used, " "),
                                .after_us = ms * 1000};
    mutes_take(&event);
    dashboard->mute(dashboard->mute_context, &event);
    snprintf(text, sizeof text,
             ms > 0 ? "%s is muted in this election until %s, unless it gets worse" : "%s is no longer muted",
             dashboard->muted.candidate, label_when(now.wall_us + ms * 1000, now, until, sizeof until));
    dashboard_say(dashboard, ROLE_GOOD, text);
    return true;
}

void dashboard_record_mutes(struct dashboard *dashboard, const char *author,
                            void (*fn)(void *context, const struct event *), void *context)
{
    dashboard->author = author;
    dashboard->mute = fn;
    dashboard->mute_context = context;
}

/* The election that is selected, or whose candidate is, or that this screen is about; NULL: none. Its row's path
 * is left in path. */
static const struct election *election_of_row(struct dashboard *dashboard, const struct scene *scene,
                                              char path[PATH_BYTES])
{
    struct view *view = top_of(dashboard)->view;
    const struct election *found = NULL;
    const char *cluster = view->ops->path ? view->ops->path(view, scene, path, PATH_BYTES) : NULL;
    for (unsigned i = 0; cluster && i < scene->model->cluster_count && !found; i++) {
        if (strcmp(scene->model->clusters[i].name, cluster) != 0)
            continue;
        found = model_election(scene->model, i, path);
        char *slash = strrchr(path, '/');
        if (!found && slash && slash != path) { /* of a candidate its election */
            *slash = '\0';
            found = model_election(scene->model, i, path);
            *slash = '/';
        }
    }
    return found;
}

static const struct election *selected_election(struct dashboard *dashboard, const struct scene *scene,
                                                char path[PATH_BYTES])
{
    const struct election *found = election_of_row(dashboard, scene, path);
    if (!found)
        dashboard_say(dashboard, ROLE_DIM, "no election is selected");
    return found;
}

/* The row is read once more at this moment: the command is about what is selected now. */
static enum dashboard_wish run_row_command(struct dashboard *dashboard, size_t which)
{
    struct scene scene = scene_of(dashboard);
    const struct action_settings *own = &dashboard->settings->actions[which];
    char path[PATH_BYTES], problem[160] = "this is a replay: commands are for what is there now";
    const struct election *election = scene.past ? NULL : selected_election(dashboard, &scene, path);
    if (!election && !scene.past)
        return DASHBOARD_NOTHING;
    host_list_free(dashboard->command);
    dashboard->command = NULL;
    dashboard->command_name = own->name;
    if (election)
        dashboard->command = row_command_make(own->run, election, path, problem, sizeof problem);
    if (dashboard->command)
        return DASHBOARD_RUN;
    dashboard_say(dashboard, ROLE_WARNING, problem);
    return DASHBOARD_NOTHING;
}

char **dashboard_command(const struct dashboard *dashboard, const char **name)
{
    *name = dashboard->command_name;
    return dashboard->command;
}

/* About the present, whatever is paused. */
static void tell_selected(struct dashboard *dashboard)
{
    struct scene scene = scene_of(dashboard);
    char path[PATH_BYTES], text[200];
    if (scene.past || !dashboard->tells) {
        dashboard_say(dashboard, ROLE_DIM, "this is a replay: nothing here will change");
        return;
    }
    scene.model = dashboard->model;
    const struct election *election = selected_election(dashboard, &scene, path);
    if (!election)
        return;
    static const char *const answers[] = {[TELL_BEGUN] = "you will be told once about the next change of",
                                          [TELL_ENDED] = "no longer waiting for a change of",
                                          [TELL_FULL] = "waiting for too many others to tell a change of"};
    enum tell_answer answer =
        tell_turn(dashboard->tells, dashboard->model, election, dashboard_now_of(dashboard));
    snprintf(text, sizeof text, "%s %.100s", answers[answer], election->name);
    dashboard_say(dashboard, answer == TELL_BEGUN ? ROLE_GOOD : ROLE_DIM, text);
}

const char *dashboard_told(struct dashboard *dashboard)
{
    const char *told = dashboard->tells
                           ? tell_change(dashboard->tells, dashboard->model, dashboard_now_of(dashboard))
                           : NULL;
    if (told)
        dashboard_say(dashboard, ROLE_WARNING, told);
    return told;
}

static enum dashboard_wish report_selected(struct dashboard *dashboard)
{
    struct scene scene = scene_of(dashboard);
    struct finding_place *about = &dashboard->reported;
    char path[PATH_BYTES];
    if (!scene.recorded) {
        dashboard_say(dashboard, ROLE_DIM, "nothing is recorded, so there is nothing to report");
        return DASHBOARD_NOTHING;
    }
    const struct election *found = selected_election(dashboard, &scene, path);
    if (!found)
        return DASHBOARD_NOTHING;
    snprintf(about->cluster, sizeof about->cluster, "%s", found->cluster->name);
    snprintf(about->election, sizeof about->election, "%s", found->path);
    open_history(dashboard);
    return DASHBOARD_REPORT;
}

static enum dashboard_wish bundle_moment(struct dashboard *dashboard)
{
    if (scene_of(dashboard).recorded)
        return DASHBOARD_BUNDLE;
    dashboard_say(dashboard, ROLE_DIM, "nothing is recorded, so there is nothing to hand over");
    return DASHBOARD_NOTHING;
}

const struct finding_place *dashboard_reported(const struct dashboard *dashboard, int64_t *until_us)
{
    *until_us = scene_of(dashboard).now.wall_us;
    return &dashboard->reported;
}

const char *dashboard_recording(const struct dashboard *dashboard)
{
    return dashboard->replay_keys.past ? replay_file(dashboard->replay_keys.past) : NULL;
}

const struct finding_place *dashboard_cleared(const struct dashboard *dashboard)
{
    return &dashboard->clearing;
}

/* A slip must not hide a critical finding: the key is pressed twice, for the same one. */
static enum dashboard_wish clear_finding(struct dashboard *dashboard)
{
    struct view *view = top_of(dashboard)->view;
    struct scene scene = scene_of(dashboard);
    struct finding_place place = {0};
    int64_t now_us = dashboard_now_of(dashboard).mono_us;
    if (!view->ops->clearable)
        return DASHBOARD_NOTHING;
    if (dashboard->replay_keys.away) {
        dashboard_say(dashboard, ROLE_DIM, "this is a replay: you cannot clear findings here");
        return DASHBOARD_NOTHING;
    }
    if (!view->ops->clearable(view, &scene, &place)) {
        dashboard_say(dashboard, ROLE_DIM,
                      "only never-wakes can be cleared here: other findings clear with their evidence");
        return DASHBOARD_NOTHING;
    }
    bool again = now_us < dashboard->clearing_until_us &&
                 strcmp(place.cluster, dashboard->clearing.cluster) == 0 &&
                 strcmp(place.election, dashboard->clearing.election) == 0 &&
                 strcmp(place.candidate, dashboard->clearing.candidate) == 0;
    dashboard->clearing = place;
    dashboard->clearing_until_us = again ? 0 : now_us + MESSAGE_US;
    if (again)
        return DASHBOARD_CLEAR;
    say_key(dashboard, ROLE_WARNING, "press", ACTION_CLEAR,
            "again to clear never-wakes in this electop only");
    return DASHBOARD_NOTHING;
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
    struct scene scene = scene_of(dashboard);
    if (top_of(dashboard)->view->ops->opened_by == ACTION_COMPARE)
        return;
    if (dashboard->marked) {
        dashboard_push(dashboard, compare_view_new(dashboard->marked, dashboard->marked_at));
        dashboard->marked = NULL;
        return;
    }
    dashboard->marked = snapshot_model_of(scene.model, scene.now.wall_us);
    dashboard->marked_at = scene.now;
    if (dashboard->marked)
        say_key(dashboard, ROLE_GOOD, "this moment is marked: at another one,", ACTION_COMPARE,
                "lists what differs");
    else
        dashboard_say(dashboard, ROLE_WARNING, "there is too much on display to mark it");
}

/* The form, for the election that is selected, if one is. */
static void open_inject(struct dashboard *dashboard)
{
    struct scene scene = scene_of(dashboard);
    char path[PATH_BYTES];
    const struct election *election = election_of_row(dashboard, &scene, path);
    dashboard_push(dashboard,
                   inject_view_new(election ? election->path : NULL, election ? election->name : NULL));
}

/* A run of test candidates does not end by a slip of the finger. */
static enum dashboard_wish quit(struct dashboard *dashboard)
{
    const struct run_control_interface *control = dashboard->control;
    int64_t now_us = dashboard_now_of(dashboard).mono_us;
    if (!control || !control->is_busy(control->context) || now_us < dashboard->quit_until_us)
        return DASHBOARD_QUIT;
    dashboard->quit_until_us = now_us + MESSAGE_US;
    say_key(dashboard, ROLE_WARNING, "test candidates are running:", ACTION_QUIT,
            "again ends the run, removes them and quits");
    return DASHBOARD_NOTHING;
}

/* The one place where it is decided whether a key that writes may: where the footer may show it. */
static bool may_write(struct dashboard *dashboard, enum action action)
{
    const struct key_binding *binding = key_binding_of(action);
    if (!binding || !binding->writes)
        return true;
    struct scene scene = scene_of(dashboard);
    struct key_help key_help = offers_of(dashboard, &scene);
    if (!scene.control)
        dashboard_say(dashboard, ROLE_DIM,
                      scene.past ? "this is a replay: no test candidate can run"
                                 : "no live cluster is shown, so no test candidate can run");
    return key_help_key(&key_help, action);
}

static void show_help(struct dashboard *dashboard)
{
    const struct view_ops *ops = top_of(dashboard)->view->ops;
    struct scene scene = scene_of(dashboard);
    struct key_help key_help = offers_of(dashboard, &scene);
    if (ops->opened_by == ACTION_HELP)
        pop(dashboard);
    else
        dashboard_push(dashboard, help_view_new(ops->name, key_help_all(&key_help)));
}

/* The filter shows one cluster only: the next one, and all again after the last. */
static void next_cluster(struct dashboard *dashboard)
{
    struct level *level = top_of(dashboard);
    struct scene scene = scene_of(dashboard);
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
    dashboard_set_filter(dashboard, filter);
}

static enum dashboard_wish dashboard_act(struct dashboard *dashboard, enum action action)
{
    struct view *view = top_of(dashboard)->view;
    if (replay_keys_knows(&dashboard->replay_keys, action)) {
        move_in_time(dashboard, action);
        return DASHBOARD_NOTHING;
    }
    if (!may_write(dashboard, action))
        return DASHBOARD_NOTHING;
    if (action >= ACTION_COMMAND)
        return run_row_command(dashboard, (size_t)(action - ACTION_COMMAND));
    switch (action) {
    case ACTION_QUIT:
        return quit(dashboard);
    case ACTION_COPY_FINDING:
        return copy_finding(dashboard);
    case ACTION_MUTE:
        begin_mute(dashboard);
        break;
    case ACTION_TELL:
        tell_selected(dashboard);
        break;
    case ACTION_REPORT:
        return report_selected(dashboard);
    case ACTION_BUNDLE:
        return bundle_moment(dashboard);
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
        return copy_path(dashboard);
    case ACTION_CLEAR:
        return clear_finding(dashboard);
    case ACTION_BACK:
        go_back(dashboard);
        break;
    case ACTION_PAUSE:
        if (dashboard->frozen)
            dashboard_resume(dashboard);
        else
            freeze(dashboard);
        break;
    case ACTION_FILTER:
        dashboard->footer.typing = view->ops->filter != NULL ? TYPING_FILTER : TYPING_UNHEARD;
        dashboard->footer.typed[0] = '\0';
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
        pop(dashboard);
}

static void jump_act(struct dashboard *dashboard, const struct jump_match *match)
{
    struct scene scene = scene_of(dashboard);
    struct key_help key_help = offers_of(dashboard, &scene);
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
        top_of(dashboard)->jumped = true;
        say_alike(dashboard, strcasecmp(best.name, text) == 0 ? 1 : alike, text);
    } else
        jump_act(dashboard, &best);
    return true;
}

/* Where : goes: a cluster, an election, a time, or what an action does. False: nowhere. */
static bool jump(struct dashboard *dashboard, const char *text)
{
    struct scene scene = scene_of(dashboard);
    struct view *view = top_of(dashboard)->view;
    struct replay_keys_note note = {0};
    int64_t at_us;
    for (size_t i = 0; scene.model->cluster_count > 1 && i < scene.model->cluster_count; i++)
        if (strcmp(text, scene.model->clusters[i].name) == 0) {
            char filter[FILTER_BYTES];
            snprintf(filter, sizeof filter, "cluster:%.100s", text);
            back_to_overview(dashboard);
            dashboard_set_filter(dashboard, filter);
            return true;
        }
    if (jump_to_name(dashboard, &scene, text) ||
        (view->ops->show && !time_parse(text, scene.now.wall_us, &at_us) &&
         view->ops->show(view, &scene, at_us)))
        return true;
    if (!dashboard->replay_keys.past)
        return false;
    dashboard_resume(dashboard);
    bool there = replay_keys_to_typed(&dashboard->replay_keys, text, dashboard_now_of(dashboard), &note);
    if (there)
        dashboard_show_note(dashboard, &note);
    return there;
}

/* Tab completes to the name that fits best, and each further Tab to the next. False: nothing fits. */
static bool complete_jump(struct dashboard *dashboard)
{
    struct scene scene = scene_of(dashboard);
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

/* False: the typed text has no target, so the line stays open for a correction. */
static bool take_typed(struct dashboard *dashboard, enum typing typing, const char *typed)
{
    struct replay_keys_note note = {0};
    if (typing == TYPING_JUMP && typed[0])
        return jump(dashboard, typed);
    if (typing == TYPING_MUTE)
        return take_mute(dashboard, typed);
    if (typing == TYPING_TIME && typed[0]) {
        dashboard_resume(dashboard);
        bool there = replay_keys_to_typed(&dashboard->replay_keys, typed, dashboard_now_of(dashboard), &note);
        dashboard_show_note(dashboard, &note);
        return there;
    } else if (typing == TYPING_ANSWER) {
        struct view *view = top_of(dashboard)->view;
        struct scene scene = scene_of(dashboard);
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
    if (line.typing == TYPING_JUMP)
        dashboard_say(dashboard, ROLE_WARNING,
                      complete_jump(dashboard) ? "Enter does this" : "no such election, action or time");
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
    char *text = filters ? top_of(dashboard)->filter : dashboard->footer.typed;
    enum typed typed = typed_line_key(text, filters ? FILTER_BYTES : sizeof dashboard->footer.typed, key);
    dashboard->footer.tabs = 0;
    if (typed == TYPED_NOT) /* arrows and clicks still move, but nothing may change under an answer */
        return dashboard->footer.typing == TYPING_ANSWER || dashboard->footer.typing == TYPING_MUTE;
    if (filters && typed != TYPED_NOTHING)
        dashboard_set_filter(dashboard, text);
    if (typed == TYPED_KEPT)
        end_line(dashboard);
    else if (typed == TYPED_ENDED)
        dashboard->footer.typing = TYPING_NOTHING;
    return true;
}

static enum dashboard_wish click(struct dashboard *dashboard, int x, int y, bool twice)
{
    struct view *view = top_of(dashboard)->view, *next = NULL;
    struct scene scene = scene_of(dashboard);
    struct replay_keys_note note = {0};
    enum action action = footer_action_at(&dashboard->footer, x, y);
    if (action != ACTION_NONE) /* of two quick clicks on a key each counts, as if it were pressed */
        return dashboard_act(dashboard, action);
    if (replay_keys_click(&dashboard->replay_keys, x, y, &note)) {
        dashboard_show_note(dashboard, &note);
        return DASHBOARD_NOTHING;
    }
    y = moved_rows_meant(&dashboard->moved, y, twice, dashboard_now_of(dashboard).mono_us);
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

bool dashboard_is_touched(const struct dashboard *dashboard)
{
    return dashboard->touched;
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
    if (dashboard->busy && !busy && top_of(dashboard)->view->ops->opened_by != ACTION_INJECT)
        say_key(dashboard, ROLE_GOOD, "the run of test candidates is over:", ACTION_INJECT,
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
    struct moment now = dashboard_now_of(dashboard);
    watch_run(dashboard);
    if (dashboard->replay_keys.away)
        play_on(dashboard, now);
    struct scene scene = scene_of(dashboard);
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
    struct view *view = top_of(dashboard)->view;
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
    struct key_help key_help = offers_of(dashboard, &scene);
    if (dashboard->footer.typing == TYPING_JUMP)
        jump_draw(cells, &scene, &dashboard->footer, key_help_all(&key_help));
    footer_draw(&dashboard->footer, cells, &key_help, top_of(dashboard)->filter, now.mono_us);
    moved_rows_see(&dashboard->moved, cells, now.mono_us);
}

bool dashboard_is_stale(const struct dashboard *dashboard)
{
    struct moment now = dashboard_now_of(dashboard);
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
