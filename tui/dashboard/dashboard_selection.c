#include "tui/dashboard/dashboard_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/connect_string.h"
#include "config/text.h"
#include "config/units.h"
#include "probe/election/model.h"
#include "tui/dashboard/row_command.h"
#include "tui/dashboard/tell.h"
#include "tui/screen/safe.h"
#include "tui/words/finding_lines.h"
#include "tui/words/labels.h"
#include "tui/words/mutes.h"

#define COPIED_COLUMNS 120
#define COPIED_ROWS 200

const char *dashboard_copied(const struct dashboard *dashboard)
{
    return dashboard->copied;
}

const char *dashboard_copied_what(const struct dashboard *dashboard)
{
    return dashboard->copied_what;
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
    struct text text = {0};
    view->ops->draw(view, scene, cells);
    cells_text(cells, &text);
    cells_free(cells);
    while (text.length > 1 && text.at[text.length - 1] == '\n' && text.at[text.length - 2] == '\n')
        text.at[--text.length] = '\0';
    enum dashboard_wish wish = copy_lines(dashboard, text.at, "the text of this screen");
    text_free(&text);
    return wish;
}

enum dashboard_wish dashboard_copy_finding(struct dashboard *dashboard)
{
    struct view *view = dashboard_top(dashboard)->view;
    struct scene scene = dashboard_scene(dashboard);
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

enum dashboard_wish dashboard_copy_path(struct dashboard *dashboard)
{
    struct view *view = dashboard_top(dashboard)->view;
    struct scene scene = dashboard_scene(dashboard);
    char path[PATH_BYTES];
    if (view_path(view, &scene, path, sizeof path))
        return dashboard_copy_text(dashboard, path, NULL);
    dashboard_say(dashboard, ROLE_DIM, "the selection has no path");
    return DASHBOARD_NOTHING;
}

/* What m is about is found again when the line is typed: the model has changed meanwhile. */
void dashboard_begin_mute(struct dashboard *dashboard)
{
    struct view *view = dashboard_top(dashboard)->view;
    struct scene scene = dashboard_scene(dashboard);
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
    *about = model_find(dashboard->model, muted->cluster, muted->election);
    for (size_t i = 0; *about && i < (*about)->finding_count; i++)
        if (strcmp(finding_kind((*about)->findings[i]->code)->word, muted->candidate) == 0)
            return (*about)->findings[i];
    return NULL;
}

/* What is between the time and the note. */
#define NOTE_BEGINS " ,"

/* "08:00", "tomorrow 08:00": how long until then. Returns the bytes read; 0: it is no such time. */
static size_t until_clock(const char *typed, int64_t now_us, int64_t *ms)
{
    static const char tomorrow[] = "tomorrow ";
    bool later = strncmp(typed, tomorrow, sizeof tomorrow - 1) == 0;
    const char *clock = typed + (later ? sizeof tomorrow - 1 : 0);
    time_t now_s = (time_t)(now_us / 1000000);
    int hour, minute, used = 0;
    struct tm tm;
    if (sscanf(clock, "%2d:%2d%n", &hour, &minute, &used) != 2 || strcspn(clock + used, NOTE_BEGINS) > 0 ||
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
    used = strcspn(typed, NOTE_BEGINS);
    snprintf(length, sizeof length, "%.*s", (int)used, typed);
    *ms = strcmp(length, "0") == 0 ? 0 : INT64_C(3600) * 1000;
    if (*length && *ms > 0)
        *problem = duration_parse(length, ms);
    return used;
}

bool dashboard_take_mute(struct dashboard *dashboard, const char *typed)
{
    struct moment now = dashboard_now(dashboard);
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
                                .detail = typed + used + strspn(typed + used, NOTE_BEGINS),
                                .after_us = ms * 1000};
    mutes_take(&event);
    bool kept = dashboard->mute(dashboard->mute_context, &event);
    snprintf(text, sizeof text,
             ms > 0 ? "%s is muted in this election until %s, unless it gets worse%s"
                    : "%s is no longer muted",
             dashboard->muted.candidate, label_moment(now.wall_us + ms * 1000, now, until, sizeof until),
             kept ? "; alerts are still sent" : " or electop ends; alerts are still sent");
    dashboard_say(dashboard, ROLE_GOOD, text);
    return true;
}

void dashboard_record_mutes(struct dashboard *dashboard, const char *author,
                            bool (*fn)(void *context, const struct event *), void *context)
{
    dashboard->author = author;
    dashboard->mute = fn;
    dashboard->mute_context = context;
}

const struct election *dashboard_selected(struct dashboard *dashboard, const struct scene *scene,
                                          char path[PATH_BYTES])
{
    const char *cluster = view_path(dashboard_top(dashboard)->view, scene, path, PATH_BYTES);
    const struct election *found = cluster ? model_find(scene->model, cluster, path) : NULL;
    char *slash = cluster ? strrchr(path, '/') : NULL;
    if (!found && slash && slash != path) { /* of a candidate its election */
        *slash = '\0';
        found = model_find(scene->model, cluster, path);
        *slash = '/';
    }
    return found;
}

static const struct election *selected_election(struct dashboard *dashboard, const struct scene *scene,
                                                char path[PATH_BYTES])
{
    const struct election *found = dashboard_selected(dashboard, scene, path);
    if (!found)
        dashboard_say(dashboard, ROLE_DIM, "no election is selected");
    return found;
}

/* Reads the row again: the command is about the present selection. */
enum dashboard_wish dashboard_run_command(struct dashboard *dashboard, size_t which)
{
    struct scene scene = dashboard_scene(dashboard);
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
void dashboard_tell_selected(struct dashboard *dashboard)
{
    struct scene scene = dashboard_scene(dashboard);
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
        tell_turn(dashboard->tells, dashboard->model, election, dashboard_now(dashboard));
    snprintf(text, sizeof text, "%s %.100s", answers[answer], election->name);
    dashboard_say(dashboard, answer == TELL_BEGUN ? ROLE_GOOD : ROLE_DIM, text);
}

const char *dashboard_told(struct dashboard *dashboard)
{
    const char *told =
        dashboard->tells ? tell_change(dashboard->tells, dashboard->model, dashboard_now(dashboard)) : NULL;
    if (told) { /* until a key is pressed: the user may be away */
        snprintf(dashboard->footer.told, sizeof dashboard->footer.told, "%s", told);
        dashboard->footer.message_until_us = 0;
        dashboard->touched = true;
    }
    return told;
}

enum dashboard_wish dashboard_report_selected(struct dashboard *dashboard)
{
    struct scene scene = dashboard_scene(dashboard);
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
    dashboard_open_history(dashboard);
    return DASHBOARD_REPORT;
}

enum dashboard_wish dashboard_bundle_moment(struct dashboard *dashboard, bool pseudonyms)
{
    dashboard->pseudonyms = pseudonyms;
    if (dashboard_scene(dashboard).recorded)
        return DASHBOARD_BUNDLE;
    dashboard_say(dashboard, ROLE_DIM, "nothing is recorded, so there is nothing to hand over");
    return DASHBOARD_NOTHING;
}

bool dashboard_pseudonyms(const struct dashboard *dashboard)
{
    return dashboard->pseudonyms;
}

const struct finding_place *dashboard_reported(const struct dashboard *dashboard, int64_t *until_us)
{
    *until_us = dashboard_scene(dashboard).now.wall_us;
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
enum dashboard_wish dashboard_clear_finding(struct dashboard *dashboard)
{
    struct view *view = dashboard_top(dashboard)->view;
    struct scene scene = dashboard_scene(dashboard);
    struct finding_place place = {0};
    int64_t now_us = dashboard_now(dashboard).mono_us;
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
    dashboard_say_key(dashboard, ROLE_WARNING, "press", ACTION_CLEAR,
                      "again to clear never-wakes in this electop only");
    return DASHBOARD_NOTHING;
}
