#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/views/event_lines.h"
#include "tui/words/election_filter.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"
#include "tui/views/list.h"
#include "tui/views/screens.h"

#define KEY_SIZE 1024
#define BIT(kind) (UINT64_C(1) << (kind))
#define ROOMY 28 /* with at least this many rows, a blank one precedes the footer */

struct events_view {
    struct view view;
    struct list list;
    char filter[128];
    size_t choice; /* of the kinds that are shown */
    bool follow;   /* stays on the latest */
    int first_y;
    int64_t travel_us; /* where Enter leads, and to which election; path "": of a cluster's own event */
    char cluster[128], path[2048];
};

static const struct {
    const char *word;
    uint64_t kinds;
} choices[] = {
    {"all", UINT64_MAX},
    {"leaders", BIT(EVENT_LEADER_LOST) | BIT(EVENT_LEADER_ELECTED) | BIT(EVENT_LEADER_ACKNOWLEDGED) |
                    BIT(EVENT_FAILOVER) | BIT(EVENT_ELECTION_SEEN) | BIT(EVENT_ELECTION_GONE)},
    {"findings", BIT(EVENT_FINDING_RAISED) | BIT(EVENT_FINDING_CLEARED) | BIT(EVENT_FINDING_MUTED)},
    {"candidates", BIT(EVENT_CANDIDATE_JOINED) | BIT(EVENT_CANDIDATE_LEFT) | BIT(EVENT_UNSEEN)},
    {"connections", BIT(EVENT_CONNECTION)},
};
#define CHOICES (sizeof choices / sizeof *choices)

/* "14:02": a time of day is looked for in the list's times alone, since evidence names other times. */
static bool is_clock(const char *text)
{
    return strlen(text) >= 5 && isdigit((unsigned char)text[0]) && isdigit((unsigned char)text[1]) &&
           text[2] == ':' && isdigit((unsigned char)text[3]) && isdigit((unsigned char)text[4]);
}

static bool event_has(const void *thing, const char *text)
{
    const struct event_line *line = thing;
    char when[32];

    if (is_clock(text))
        return strncmp(format_clock_ms(line->at.wall_us, when, sizeof when), text, strlen(text)) == 0;
    return label_match(line->where, text) || label_match(line->path, text) ||
           label_match(line->cluster, text) || label_match(line->label, text) ||
           label_match(line->from, text) || label_match(line->subject, text) ||
           label_match(line->detail, text);
}

static const struct election *election_of_line(const struct scene *scene, const struct event_line *line)
{
    return line->path != NULL ? model_find(scene->model, line->cluster, line->path) : NULL;
}

static bool is_narrowed(const struct events_view *view)
{
    return view->filter[0] != '\0' || view->choice > 0;
}

static bool events_passes(const struct events_view *view, const struct scene *scene,
                          const struct event_line *line)
{
    if (!(choices[view->choice].kinds & BIT(line->kind)))
        return false;
    return view->filter[0] == '\0' || election_filter_match_text(view->filter, election_of_line(scene, line),
                                                                 scene->now, event_has, line);
}

/* The i-th event that passes, the latest first. A thousand lines at most are looked at. */
static const struct event_line *line_at(const struct events_view *view, const struct scene *scene, size_t i)
{
    const struct event_line *line;

    if (!is_narrowed(view))
        return event_log_at(scene->events, i);
    for (size_t at = 0; (line = event_log_at(scene->events, at)) != NULL; at++)
        if (events_passes(view, scene, line) && i-- == 0)
            return line;
    return NULL;
}

/* Identifies an event: a log of the past is gathered anew as one moves in it. */
static void events_key_of(const struct event_line *line, char *buffer, size_t size)
{
    snprintf(buffer, size, "%" PRId64 " %d %s %s", line->at.wall_us, (int)line->kind, line->subject,
             line->path != NULL ? line->path : "");
}

/* How many pass, and the place of the one with this key among them (count: none; NULL: no key). */
static size_t count_lines(const struct events_view *view, const struct scene *scene, const char *key,
                          size_t *at)
{
    const struct event_line *line;
    size_t count = 0, found = SIZE_MAX;
    int64_t at_us = key != NULL ? strtoll(key, NULL, 10) : 0;
    char other[KEY_SIZE];

    for (size_t i = 0; (line = event_log_at(scene->events, i)) != NULL; i++) {
        if (!events_passes(view, scene, line))
            continue;
        if (key != NULL && line->at.wall_us == at_us) {
            events_key_of(line, other, sizeof other);
            found = strcmp(key, other) == 0 ? count : found;
        }
        count++;
    }
    *at = found == SIZE_MAX ? count : found;
    return count;
}

static void events_select_line(struct events_view *view, const struct scene *scene)
{
    const struct event_line *line = line_at(view, scene, view->list.at);
    char key[KEY_SIZE];

    if (line == NULL)
        return;
    events_key_of(line, key, sizeof key);
    list_select(&view->list, key);
}

static void follow_log(struct events_view *view, const struct scene *scene, size_t rows)
{
    struct list *list = &view->list;
    size_t at, count = count_lines(view, scene, list->key, &at);

    list_begin(list, count, rows);
    if (view->follow) {
        list->at = 0;
    } else if (at < count) {
        /* New lines come in above: the lines on the screen stay in place. */
        list->top += at > list->at ? at - list->at : 0;
        list_found(list, at);
    }
    list_show(list);
    events_select_line(view, scene);
}

static void events_draw_head(const struct events_view *view, struct cells *cells, int y,
                             const struct scene *scene)
{
    char text[256];
    int x = 1;

    snprintf(text, sizeof text, "%zu", view->list.count);
    x += cells_put(cells, x, y, -1, ROLE_STRONG, text) + 1;
    x += cells_put(cells, x, y, -1, ROLE_TEXT, view->list.count == 1 ? "event" : "events") + 3;
    x += cells_put(cells, x, y, -1, ROLE_DIM, "latest first") + 3;
    if (view->choice > 0)
        x += cells_printf(cells, x, y, -1, ROLE_ACCENT, "only %s", choices[view->choice].word) + 3;
    if (event_log_count(scene->events) == EVENTS_KEPT)
        x += cells_printf(cells, x, y, -1, ROLE_DIM, "the latest %d are kept", EVENTS_KEPT) + 3;
    if (view->filter[0] != '\0')
        snprintf(text, sizeof text, "of %zu, with \"%s\"", event_log_count(scene->events), view->filter);
    else
        snprintf(text, sizeof text, view->follow ? "following" : "held; %s follows",
                 key_first(ACTION_FOLLOW));
    if (x + cells_width(cells, text) < cells->width)
        cells_put_right(cells, cells->width - 1, y, cells->width - x - 1,
                        view->follow || view->filter[0] != '\0' ? ROLE_ACCENT : ROLE_DIM, text);
}

/* Below a list that leaves room, the selected event in full, if its line has no room for it. */
static void draw_whole(const struct events_view *view, const struct scene *scene, struct cells *cells,
                       int width, const struct event_lines *lines, int bottom)
{
    int y = view->first_y + (int)view->list.count + 1;
    const struct event_line *line = line_at(view, scene, view->list.at);

    if (line != NULL && y < bottom && event_line_is_cut(cells, width, line, lines))
        event_line_whole(cells, 2, y, width, bottom - y, line);
}

static void events_draw(struct view *self, const struct scene *scene, struct cells *cells)
{
    struct events_view *view = (struct events_view *)self;
    int airy = cells->height >= 18;
    int y = airy, width = cells->width - 3;
    int bottom = cells->height - (cells->height >= ROOMY);
    struct event_lines lines = {.names = {.count = 0}};

    view->first_y = y + 1 + airy;
    follow_log(view, scene, bottom > view->first_y ? (size_t)(bottom - view->first_y) : 0);
    events_draw_head(view, cells, y, scene);
    if (view->list.count == 0) {
        columns_wrap_printf(cells, 2, view->first_y, ROLE_DIM,
                            view->filter[0] != '\0' ? "No event contains this text. %s shows all again."
                            : view->choice > 0      ? "No event is of this kind. %s shows the next kind."
                                                    : "Nothing has happened yet.",
                            key_first(view->filter[0] != '\0' ? ACTION_BACK : ACTION_KINDS));
        return;
    }
    for (size_t i = 0; i < view->list.rows; i++) {
        const struct event_line *line = line_at(view, scene, view->list.top + i);

        if (line != NULL)
            event_lines_add(&lines, cells, line);
    }
    event_lines_fit(&lines, cells, width, scene);
    for (size_t i = 0; i < view->list.rows; i++) {
        const struct event_line *line = line_at(view, scene, view->list.top + i);
        int row = view->first_y + (int)i;

        if (line == NULL)
            break;
        event_line_draw(cells, 2, row, width, scene, line, &lines);
        if (view->list.top + i == view->list.at)
            list_mark_row(cells, row, cells->width);
    }
    draw_whole(view, scene, cells, width, &lines, bottom);
    event_lines_free(&lines);
}

/* The dashboard goes to the moment of the selected event, if that is recorded. */
static enum view_result events_go_there(struct events_view *view, const struct scene *scene)
{
    const struct event_line *line = line_at(view, scene, view->list.at);

    if (line == NULL)
        return VIEW_IGNORED;
    view->travel_us = line->at.wall_us;
    snprintf(view->cluster, sizeof view->cluster, "%s", line->cluster);
    snprintf(view->path, sizeof view->path, "%s", line->path != NULL ? line->path : "");
    view->follow = true; /* in that moment it is the latest */
    return VIEW_TRAVEL;
}

static struct destination events_destination(const struct view *self)
{
    const struct events_view *view = (const struct events_view *)self;

    return (struct destination){view->travel_us, view->cluster, view->path[0] != '\0' ? view->path : NULL};
}

static enum view_result events_action(struct view *self, const struct scene *scene, enum action action,
                                      struct view **next)
{
    struct events_view *view = (struct events_view *)self;
    const struct event_line *line;

    follow_log(view, scene, view->list.rows);
    if (list_move(&view->list, action == ACTION_NEXT_MATCH       ? ACTION_DOWN
                               : action == ACTION_PREVIOUS_MATCH ? ACTION_UP
                                                                 : action)) {
        view->follow = action == ACTION_FIRST;
        events_select_line(view, scene);
        return VIEW_DONE;
    }
    switch (action) {
    case ACTION_OPEN:
        return events_go_there(view, scene);
    case ACTION_HISTORY:
        line = line_at(view, scene, view->list.at);
        return view_open(
            next, line == NULL || line->path == NULL ? NULL : history_view_new(line->cluster, line->path));
    case ACTION_FOLLOW:
        view->follow = !view->follow;
        return VIEW_DONE;
    case ACTION_KINDS:
        view->choice = (view->choice + 1) % CHOICES;
        view->follow = true;
        return VIEW_DONE;
    default:
        return VIEW_IGNORED;
    }
}

static enum view_result events_click(struct view *self, const struct scene *scene, int x, int y, bool twice,
                                     struct view **next)
{
    struct events_view *view = (struct events_view *)self;
    size_t line;

    (void)x;
    (void)next;
    follow_log(view, scene, view->list.rows);
    line = list_clicked(&view->list, view->first_y, y, twice);
    if (line == SIZE_MAX)
        return VIEW_IGNORED;
    view->follow = false;
    view->list.at = line;
    events_select_line(view, scene);
    return twice ? events_go_there(view, scene) : VIEW_DONE;
}

static bool events_show(struct view *self, const struct scene *scene, int64_t at_us)
{
    struct events_view *view = (struct events_view *)self;
    size_t at, count = count_lines(view, scene, NULL, &at);
    const struct event_line *line;

    for (at = count; at-- > 0;) {
        line = line_at(view, scene, at);
        if (line->at.wall_us < at_us)
            continue;
        if (at == count - 1) /* earlier events may not be kept here */
            return false;
        view->follow = false;
        view->list.at = at;
        events_select_line(view, scene);
        return true;
    }
    return false;
}

static const char *events_path(struct view *self, const struct scene *scene, char *buffer, size_t size)
{
    const struct events_view *view = (const struct events_view *)self;
    const struct event_line *line = line_at(view, scene, view->list.at);

    if (line == NULL || line->path == NULL)
        return NULL;
    return snprintf(buffer, size, "%s", line->path) < (int)size ? line->cluster : NULL;
}

static void events_filter(struct view *self, const char *text)
{
    struct events_view *view = (struct events_view *)self;

    snprintf(view->filter, sizeof view->filter, "%s", text);
}

static void events_release(struct view *self)
{
    struct events_view *view = (struct events_view *)self;

    list_release(&view->list);
}

static const char *events_word(const struct view *self, const struct scene *scene, enum action action)
{
    (void)self;
    return action == ACTION_OPEN && scene->recorded ? "replay" : action == ACTION_FOLLOW ? "follow" : NULL;
}

static const struct view_ops ops = {
    .name = "events",
    .draw = events_draw,
    .action = events_action,
    .click = events_click,
    .path = events_path,
    .filter = events_filter,
    .show = events_show,
    .destination = events_destination,
    .release = events_release,
    .list = offsetof(struct events_view, list),
    .answers = VIEW_MOVES | ACTION_BIT(ACTION_OPEN) | ACTION_BIT(ACTION_BACK) | ACTION_BIT(ACTION_FOLLOW) |
               ACTION_BIT(ACTION_HISTORY) | ACTION_BIT(ACTION_KINDS),
    .first = ACTION_BIT(ACTION_BACK) | ACTION_BIT(ACTION_OPEN) | ACTION_BIT(ACTION_FILTER) |
             ACTION_BIT(ACTION_JUMP) | ACTION_BIT(ACTION_KINDS) | ACTION_BIT(ACTION_FOLLOW),
    .word = events_word,
    .opened_by = ACTION_EVENTS,
};

struct view *events_view_new(void)
{
    struct events_view *view = view_new(&ops, sizeof *view, NULL, NULL);
    view->follow = true;
    return &view->view;
}
