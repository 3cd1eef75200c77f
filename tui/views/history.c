
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tui/screen/columns.h"
#include "tui/views/failover_table.h"
#include "tui/views/gantt.h"
#include "tui/views/leadership_history.h"
#include "tui/views/list.h"
#include "tui/views/screens.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"

/* A recording is written once a second, on a busy machine later, and is read again a moment after that. */
#define FRESH_US INT64_C(4000000)
#define SECOND_US INT64_C(1000000)
#define DAY_US (INT64_C(86400) * SECOND_US)
#define LEFT 2
/* Beside "evicted (suspected)"; and so many failovers stay in sight beside the evidence for one. */
#define EVIDENCE_X 24
#define ROWS_LEAST 2
#define LABEL_LEAST 6
#define HOURS_FROM_US (3 * INT64_C(3600) * SECOND_US) /* failovers of less show nothing of the day */
/* A window of many rows is read again less often: a second for this many. */
#define ROWS_A_SECOND 2000

static const int64_t windows_s[] = {60, 300, 900, 1800, 3600, 10800, 21600, 86400, 604800, 2592000, 31536000};
#define WINDOWS (sizeof windows_s / sizeof *windows_s)
#define HOUR 4
/* The initial window is never half empty. */
static const int64_t opening_s[] = {20,  30,  45,  60,  90,   120,  180,  240,
                                    360, 480, 720, 900, 1200, 1800, 2700, 3600};

/* Who led one election when, and its failovers with their phases. */
struct history_view {
    struct view view;
    struct leadership_history leadership;
    char *error; /* why it could not be read; NULL: it was */
    bool read;
    struct moment read_at;
    int64_t begun_us, limit_us; /* the recording's, or now */
    int64_t moment_us;          /* of the past, that is shown; 0: it is now */
    unsigned window;
    int64_t
        opened_us; /* the window that it opens with, which no key chose: as long as the known past; 0: none */
    bool chosen;   /* the user chose the window, or it was widened: it does not grow any more */
    bool moved;    /* ... since it was read: it is not waited with */
    bool follows;  /* ends at the limit */
    int64_t end_us; /* where it does not */
    int64_t from_us, to_us;
    int64_t travel_us;
    bool travels_there; /* and shows the election */
    struct list list;   /* of failovers, the latest first */
    struct gantt gantt;
    int lanes_y, gantt_rows, table_y;
    struct failover_table table;
    struct names names;           /* of the lanes */
    const char *longest_evidence; /* of all failovers, in the chronicle; "": there is none */
};

/* The rows under the lanes: a rule, the table with its head, the figures, the evidence for the selected one's
 * cause. */
struct shares {
    int rows, stats, evidence;
    int hours;  /* of the day, on rows that the table leaves */
    bool apart; /* a free row between the table and what follows it */
};

static int64_t history_window_us(const struct history_view *view)
{
    return view->opened_us > 0 ? view->opened_us : windows_s[view->window] * SECOND_US;
}

/* The window. */

static void find_limits(struct history_view *view, const struct scene *scene)
{
    int64_t from_us, to_us;
    if (!history_bounds(scene->history, &from_us, &to_us, NULL))
        from_us = to_us = scene->now.wall_us;
    if (!scene->past && scene->now.wall_us > to_us)
        to_us = scene->now.wall_us;
    view->begun_us = from_us;
    view->limit_us = to_us;
    view->moment_us = scene->past ? scene->now.wall_us : 0;
}

static void keep_inside(struct history_view *view)
{
    if (view->end_us >= view->limit_us)
        view->follows = true;
    else if (view->end_us < view->begun_us + history_window_us(view) / 4)
        view->end_us = view->begun_us + history_window_us(view) / 4;
    if (!view->follows && view->end_us >= view->limit_us)
        view->follows = true;
}

/* Moves the window so that it contains the moment; if it already does, nothing moves. */
static void bring_in(struct history_view *view, int64_t us)
{
    int64_t end_us = view->follows ? view->limit_us : view->end_us;
    if (us <= end_us && us >= end_us - history_window_us(view))
        return;
    view->follows = false;
    view->end_us = us + history_window_us(view) / 4;
    keep_inside(view);
}

static void lay_window(struct history_view *view, const struct scene *scene, int width)
{
    find_limits(view, scene);
    if (!view->chosen) {
        int64_t known_us = view->limit_us - view->begun_us;
        size_t fine = 0;
        view->window = 0;
        while (view->window < HOUR && windows_s[view->window] * SECOND_US < known_us)
            view->window++;
        while (fine + 1 < sizeof opening_s / sizeof *opening_s && opening_s[fine] * SECOND_US < known_us)
            fine++;
        view->opened_us = view->window < HOUR ? opening_s[fine] * SECOND_US : 0;
    }
    if (scene->past && !view->read)
        bring_in(view, scene->now.wall_us);
    keep_inside(view);
    view->to_us = view->follows ? view->limit_us : view->end_us;
    /* It moves by whole eighths of a cell, so that an unchanged bar does not flicker. */
    int64_t eighth_us = history_window_us(view) / (8 * (width > 0 ? width : 1));
    if (view->follows && !scene->past && eighth_us > 0)
        view->to_us = (view->to_us / eighth_us + 1) * eighth_us;
    view->from_us = view->to_us - history_window_us(view);
}

static void read_window(struct history_view *view, const struct scene *scene)
{
    const struct leadership_history *leadership = &view->leadership;
    int64_t age_us = scene->now.mono_us - view->read_at.mono_us;
    int64_t rest_us =
        (int64_t)(leadership->stretch_count + leadership->failover_count) * SECOND_US / ROWS_A_SECOND;
    bool same = leadership->from_us == view->from_us && leadership->to_us == view->to_us;
    /* In replay the clock does not advance: do not wait for it. */
    bool due = !same && (view->moved || scene->past);
    if (view->read && !due && age_us >= 0 && (age_us < rest_us || (same && age_us < SECOND_US / 4)))
        return;
    view->moved = false;
    view->longest_evidence = "";
    leadership_history_clear(&view->leadership);
    free(view->error);
    view->error = NULL;
    view->read = true;
    view->read_at = scene->now;
    leadership_history_read(&view->leadership, scene->history, view->view.cluster, view->view.path,
                            view->from_us, view->to_us, &view->error);
    const struct election *election = scene->past ? NULL : view_election(&view->view, scene);
    if (election)
        leadership_history_prefer(&view->leadership, election);
    size_t longest = 0;
    for (size_t i = 0; i < view->leadership.failover_count; i++) {
        const char *evidence = view->leadership.failovers[i].evidence;
        size_t length = evidence ? strlen(evidence) : 0;
        if (length > longest) {
            longest = length;
            view->longest_evidence = evidence;
        }
    }
}

/* Opens on the shortest window that shows a failover, where the usual one shows none. */
static void widen_to_content(struct history_view *view, const struct scene *scene, int width)
{
    while (!view->chosen && !scene->past && view->read && !view->error &&
           view->leadership.failover_count == 0 && view->from_us > view->begun_us &&
           view->window + 1 < WINDOWS) {
        view->window++;
        view->opened_us = 0;
        view->chosen = true; /* for lay_window() */
        lay_window(view, scene, width);
        view->chosen = false;
        view->read = false;
        read_window(view, scene);
    }
    view->chosen |= view->window > HOUR;
}

/* The list of failovers. */

static const struct failover *failover_at(const struct history_view *view, size_t i)
{
    const struct leadership_history *leadership = &view->leadership;
    return i < leadership->failover_count ? &leadership->failovers[leadership->failover_count - 1 - i] : NULL;
}

static bool history_key_of(const void *context, size_t line, char key[LIST_KEY_BYTES])
{
    const struct failover *failover = failover_at(context, line);
    if (failover)
        snprintf(key, LIST_KEY_BYTES, "%" PRId64 " %s", failover->lost_at.wall_us,
                 failover->from ? failover->from : "");
    return failover;
}

/* Seen from a moment of the past: the last before it, or the one whose own moment this is (replay_step()). */
static size_t first_choice(const struct history_view *view)
{
    const struct failover *failover;
    for (size_t i = 0; (failover = failover_at(view, i)); i++)
        if (view->moment_us == 0 || failover->lost_at.wall_us <= view->moment_us + 1)
            return i;
    return 0;
}

static void follow_list(struct history_view *view, size_t rows)
{
    struct list *list = &view->list;
    list_begin(list, view->leadership.failover_count, rows);
    if (!list->key && !list->gone)
        list->at = first_choice(view);
    list_follow(list, false, history_key_of, view);
}

/* Drawing. */

/* One figure more, where there is room for all of it. */
static int put_where_it_fits(struct cells *cells, int x, int y, const char *text)
{
    if (x + cells_width(cells, text) > cells->width - 1)
        return x;
    return x + cells_put(cells, x, y, -1, ROLE_DIM, text) + 3;
}

/* How long there was no leader, how often the leader changed, and how long one led. */
static int put_tenures(struct cells *cells, int x, int y, const struct leadership_history *leadership)
{
    char usual[24], longest[24], text[120], vacant[FORMAT_INTERVAL];
    if (leadership->vacant_us > 0 && !leadership->cut) {
        bool about = false; /* as its report says it: the list of failovers has bounds */
        for (size_t i = 0; i < leadership->failover_count && !leadership->gaps; i++)
            about |= leadership->failovers[i].vacancy.low_us != leadership->failovers[i].vacancy.high_us;
        snprintf(text, sizeof text, "vacant %s%s in total", about ? "about " : "",
                 about ? format_span(leadership->vacant_us, vacant, sizeof vacant)
                       : format_interval(leadership->vacant_us, leadership->gaps ? -1 : leadership->vacant_us,
                                         cells->ascii, vacant));
        x = put_where_it_fits(cells, x, y, text);
    }
    if (leadership->changes_per_hour > 0 && !leadership->cut) {
        format_rate(leadership->changes_per_hour, usual, sizeof usual);
        snprintf(text, sizeof text, "%s an hour", usual);
        x = put_where_it_fits(cells, x, y, text);
    }
    if (leadership->tenure_count < 2 || leadership->cut)
        return x;
    snprintf(text, sizeof text, "tenures p50 %s  max %s%s",
             format_age(leadership->tenure_p50_us, usual, sizeof usual),
             leadership->tenure_max_whole ? "" : cells_sign(cells, SIGN_AT_LEAST),
             format_age(leadership->tenure_max_us, longest, sizeof longest));
    return put_where_it_fits(cells, x, y, text);
}

static void draw_window(const struct history_view *view, struct cells *cells, int y,
                        const struct scene *scene)
{
    const struct leadership_history *leadership = &view->leadership;
    char from[32], to[32], text[96];
    int x = LEFT;
    x += cells_put(cells, x, y, -1, ROLE_STRONG, label_moment(view->from_us, scene->now, from, sizeof from)) +
         1;
    x += cells_put(cells, x, y, -1, ROLE_DIM, cells_sign(cells, SIGN_DASH)) + 1;
    x += cells_put(cells, x, y, -1, ROLE_STRONG,
                   view->follows && !scene->past ? "now"
                                                 : label_moment(view->to_us, scene->now, to, sizeof to)) +
         3;
    x += cells_printf(cells, x, y, -1, ROLE_TEXT, "%zu %s", leadership->leader_count,
                      leadership->leader_count == 1 ? "leader" : "leaders") +
         3;
    bool more = leadership->failover_count == LEADERSHIP_HISTORY_MOST;
    size_t changes = changes_count(&leadership->changes);
    x += cells_printf(cells, x, y, -1, ROLE_TEXT, "%s%zu %s", more ? "more than " : "", changes,
                      changes == 1 ? "failover" : "failovers");
    if (leadership->changes.open)
        x += cells_printf(cells, x, y, -1, ROLE_TEXT, ", %zu open", leadership->changes.open);
    if (leadership->changes.missed)
        x += cells_printf(cells, x, y, -1, ROLE_TEXT, ", %zu after a gap", leadership->changes.missed);
    x += 3;
    if (leadership->clock.before_us) /* why times go back in the table */
        x += cells_printf(cells, x, y, -1, ROLE_WARNING, "clock set %s at %s",
                          leadership->clock.after_us < leadership->clock.before_us ? "back" : "forward",
                          label_moment(leadership->clock.before_us, scene->now, from, sizeof from)) +
             3;
    x = put_tenures(cells, x, y, leadership);
    snprintf(text, sizeof text, "%s", leadership->cut ? "more than can be shown: + for a shorter time" : "");
    if (!*text && view->gantt_rows > 0 && gantt_count(leadership) > (size_t)view->gantt_rows)
        snprintf(text, sizeof text, "lanes %" PRIu32 "-%" PRIu32 " of %zu", view->gantt.top + 1,
                 view->gantt.top + (uint32_t)view->gantt_rows, gantt_count(leadership));
    if (x + cells_width(cells, text) < cells->width)
        cells_put_right(cells, cells->width - 1, y, label_room(x, cells->width - 1),
                        leadership->cut ? ROLE_WARNING : ROLE_DIM, text);
}

/* Those of the chosen failover are brought in: who led before, and above all who led after. */
static void scroll_lanes(struct history_view *view)
{
    const struct failover *failover = failover_at(view, view->list.at);
    size_t count = gantt_count(&view->leadership), rows = (size_t)view->gantt_rows;
    view->gantt.top = 0;
    if (!failover || rows == 0 || count <= rows)
        return;
    const uint32_t wanted[] = {
        leadership_history_lane(&view->leadership, failover->from_identity, failover->from),
        leadership_history_lane(&view->leadership, failover->to_identity, failover->to)};
    for (int i = 0; i < 2; i++) {
        size_t line = wanted[i] < LANE_UNKNOWN ? (size_t)wanted[i] + view->leadership.vacant : 0;
        if (line >= view->gantt.top + rows)
            view->gantt.top = (uint32_t)(line - rows + 1);
        else if (line < view->gantt.top)
            view->gantt.top = (uint32_t)line;
    }
}

static int history_label_width(const struct cells *cells, const struct leadership_history *leadership)
{
    int widest = 6, most = cells->width / 3;
    for (size_t i = 0; i < leadership->leader_count && widest < most; i++) {
        const char *who = leadership->leaders[i].who;
        int width = cells_width(cells, who);
        widest = width > widest ? width : widest;
    }
    return widest < most ? widest : most;
}

/* Shortens the names of the shown lanes. Their common part is in the title of the lanes. */
static void fit_lanes(struct history_view *view, const struct cells *cells, int rows)
{
    int room = history_label_width(cells, &view->leadership), label;
    const struct leadership_history *leadership = &view->leadership;
    size_t top = view->gantt.top > leadership->vacant ? view->gantt.top - leadership->vacant : 0;

    names_free(&view->names);
    view->names.candidates = true;
    for (size_t i = top; i < top + (size_t)rows && i < leadership->leader_count; i++)
        names_add(&view->names, leadership->leaders[i].who);
    names_fit(&view->names, cells, room);
    /* Where they scroll, the axis stays where it is. */
    label = leadership->leader_count > (size_t)rows ? room : names_width(&view->names, cells);
    int least = leadership->leader_count == 0 ? (int)strlen("? not known")
                : leadership->vacant          ? (int)strlen("no leader")
                                              : LABEL_LEAST;
    label = label < least ? least : label;
    view->gantt.names = &view->names;
    view->gantt.x = view->gantt.label_x + label + 2;
    view->gantt.width = label_room(view->gantt.x, cells->width - 1);
}

static int draw_lanes(struct history_view *view, struct cells *cells, int y, int rows,
                      const struct scene *scene)
{
    struct gantt *gantt = &view->gantt;
    const struct failover *chosen = failover_at(view, view->list.at);
    gantt->label_x = LEFT;
    gantt->from_us = view->from_us;
    gantt->to_us = view->to_us;
    gantt->fresh_us = scene->past || !view->follows ? 0 : FRESH_US;
    gantt->moment_us = scene->past ? scene->now.wall_us : 0;
    gantt->chosen_us = chosen ? chosen->lost_at.wall_us : 0;
    view->lanes_y = y;
    view->gantt_rows = rows;
    scroll_lanes(view);
    fit_lanes(view, cells, rows);
    gantt_draw(cells, y, rows, gantt, &view->leadership);
    gantt_draw_marks(cells, y + rows, gantt, &view->leadership);
    gantt_draw_axis(cells, y + rows + 1, gantt);
    return rows + 2;
}

static void history_draw_table(struct history_view *view, struct cells *cells, int y, int rows)
{
    const struct list *list = &view->list;
    bool days = view->limit_us - view->from_us > DAY_US;
    view->table_y = y + 1;
    failover_table_lay(&view->table, cells, LEFT, &view->leadership, list->top, list->rows, days);
    failover_table_head(cells, &view->table, y);
    for (size_t i = 0; i < list->rows && list->top + i < list->count; i++) {
        int row = view->table_y + (int)i;
        if (row >= y + rows)
            break;
        failover_table_row(cells, &view->table, row, failover_at(view, list->top + i), days);
        if (list->top + i == list->at)
            list_mark_row(cells, row, cells->width);
    }
}

static bool spans_hours(const struct leadership_history *leadership)
{
    const struct failover *failovers = leadership->failovers;
    size_t count = leadership->failover_count;
    return count > 1 && failovers[count - 1].lost_at.wall_us - failovers[0].lost_at.wall_us >= HOURS_FROM_US;
}

/* The rows of the longest evidence, so that nothing moves while the selection moves; the table keeps at least
 * two rows. */
static struct shares share_out(const struct history_view *view, struct cells *cells, int y, int bottom)
{
    int room = bottom - y, width = label_room(EVIDENCE_X, cells->width - 1);
    struct shares shares = {.stats = view->leadership.failover_count == 0 ? 0
                                     : room >= 6 ? 2 + (room >= 9 && view->leadership.successor_count > 0)
                                                 : room >= 4,
                            .evidence = room >= 8};
    shares.apart = shares.stats >= 2 && shares.evidence;
    shares.rows = room - 2 - shares.stats - shares.evidence - shares.apart;
    int more = shares.evidence ? columns_wrap_lines(cells, width, view->longest_evidence) - 1 : 0;
    if (more > 0 && more > shares.rows - ROWS_LEAST && shares.apart) {
        shares.apart = false;
        shares.rows++;
    }
    more = more < shares.rows - ROWS_LEAST ? more : shares.rows - ROWS_LEAST;
    if (more > 0) {
        shares.evidence += more;
        shares.rows -= more;
    }
    /* All causes with their figures. */
    more = shares.stats >= 2
               ? failover_stats_rows(cells, &view->leadership) - (2 + (view->leadership.successor_count > 0))
               : 0;
    more = more < shares.rows - ROWS_LEAST ? more : shares.rows - ROWS_LEAST;
    if (more > 0) {
        shares.stats += more;
        shares.rows -= more;
    }
    shares.rows = shares.rows > 0 ? shares.rows : 0;
    int left =
        shares.rows -
        (int)(view->leadership.failover_count < INT_MAX / 2 ? view->leadership.failover_count : INT_MAX / 2);
    if (spans_hours(&view->leadership) && left > 5) {
        shares.hours = left - 1 < FAILOVER_HOURS_ROWS ? left - 1 : FAILOVER_HOURS_ROWS;
        shares.rows -= shares.hours;
    }
    return shares;
}

/* The evidence for its cause. */
static void draw_evidence(const struct history_view *view, struct cells *cells, int y, int rows)
{
    const struct failover *failover = failover_at(view, view->list.at);
    if (!failover)
        return;
    int x = LEFT;
    x += cells_put(cells, x, y, -1, ROLE_HEADING, failover_cause_word(failover->cause));
    if (failover->cause != CAUSE_UNKNOWN)
        x += cells_printf(cells, x, y, -1, ROLE_DIM, " (%s)",
                          failover->cause_certainty == CERTAINTY_CERTAIN ? "certain" : "suspected");
    x = rows > 1 ? EVIDENCE_X : x + 2;
    columns_wrap_put(cells, x, y, label_room(x, cells->width - 1), rows, ROLE_TEXT,
                     failover->evidence ? failover->evidence : "nothing else is known about it");
}

static void history_draw_failovers(struct history_view *view, struct cells *cells, int y, int bottom)
{
    const struct leadership_history *leadership = &view->leadership;
    char caption[64], text[400];
    if (y >= bottom)
        return;
    struct shares shares = share_out(view, cells, y, bottom);
    if (view->list.rows > 0 && view->list.count > view->list.rows)
        snprintf(caption, sizeof caption, "failovers, %zu of %zu", view->list.at + 1, view->list.count);
    else
        snprintf(caption, sizeof caption, "failovers");
    cells_rule(cells, 0, y++, cells->width, caption);
    if (leadership->failover_count == 0) {
        columns_wrap_printf(cells, LEFT, y, ROLE_DIM, "%s",
                            changes_count(&leadership->changes) > 0
                                ? "None to another client: the same one was first again, or its cause is not "
                                  "judged yet."
                                : "None in this time. Left goes back in time, - shows a longer time.");
        return;
    }
    if (shares.rows > 0) {
        history_draw_table(view, cells, y, shares.rows + 1);
        cells_rule(cells, 0, y - 1, cells->width,
                   failover_table_caption(&view->table, cells, caption, text, sizeof text));
    }
    if (shares.hours > 0) {
        int below = bottom - shares.stats - shares.evidence - shares.apart;
        failover_hours_draw(cells, below - shares.hours, shares.hours, leadership);
    }
    failover_stats_draw(cells, bottom - shares.stats - shares.evidence, shares.stats, leadership);
    if (shares.evidence)
        draw_evidence(view, cells, bottom - shares.evidence, shares.evidence);
}

static void history_draw(struct view *self, const struct scene *scene, struct cells *cells)
{
    struct history_view *view = (struct history_view *)self;
    int airy = cells->height >= 18, y = airy, bottom = cells->height - (cells->height >= 26);
    if (!scene->history) {
        cells_put(cells, LEFT, y, -1, ROLE_WARNING, "What happened here is not recorded.");
        if (scene->history_problem)
            cells_put(cells, LEFT, y + 1, -1, ROLE_DIM, scene->history_problem);
        return;
    }
    lay_window(view, scene, cells->width);
    read_window(view, scene);
    widen_to_content(view, scene, cells->width);
    if (view->error) {
        cells_put(cells, LEFT, y, -1, ROLE_WARNING, "The recording cannot be read.");
        cells_put(cells, LEFT, y + 1, -1, ROLE_DIM, view->error);
        return;
    }
    int most = (cells->height - y) / 3, wanted = (int)gantt_count(&view->leadership);
    int rows = wanted < most ? wanted : most > 1 ? most : 1;
    int table_y = y + 1 + airy + rows + 2;
    follow_list(view, (size_t)share_out(view, cells, table_y, bottom).rows);
    view->gantt_rows = rows;
    scroll_lanes(view);
    draw_window(view, cells, y, scene);
    y += 1 + airy;
    y += draw_lanes(view, cells, y, rows, scene);
    history_draw_failovers(view, cells, y, bottom);
}

/* Keys. */

static void pan(struct history_view *view, int quarters)
{
    int64_t end_us = view->follows ? view->limit_us : view->end_us;
    view->chosen = view->moved = true;
    view->follows = false;
    view->end_us = end_us + quarters * (history_window_us(view) / 4);
    keep_inside(view);
}

/* Around the failover that is chosen, where it is on the screen; else the end stays. */
static void zoom(struct history_view *view, bool longer)
{
    const struct failover *failover = failover_at(view, view->list.at);
    int64_t end_us = view->follows ? view->limit_us : view->end_us, before_us = history_window_us(view);
    view->chosen = view->moved = true;
    if (longer && view->opened_us == windows_s[view->window] * SECOND_US)
        view->opened_us = 0;
    if (longer)
        view->window += view->opened_us == 0 && view->window + 1 < WINDOWS;
    else
        view->window -= view->window > 0;
    view->opened_us = 0;
    if (!failover || longer)
        return;
    int64_t after_us = end_us - failover->lost_at.wall_us;
    if (after_us < 0 || after_us > before_us || after_us < history_window_us(view))
        return;
    view->follows = false;
    view->end_us = failover->lost_at.wall_us + history_window_us(view) / 2;
    keep_inside(view);
}

static enum view_result history_go_there(struct history_view *view)
{
    const struct failover *failover = failover_at(view, view->list.at);
    if (!failover)
        return VIEW_IGNORED;
    view->travel_us = failover->lost_at.wall_us - 1; /* who led until then still does */
    view->travels_there = true;
    return VIEW_TRAVEL;
}

static enum view_result history_action(struct view *self, const struct scene *scene, enum action action,
                                       struct view **next)
{
    struct history_view *view = (struct history_view *)self;
    const struct failover *failover;
    if (!scene->history || !view->read)
        return VIEW_IGNORED;
    follow_list(view, view->list.rows);
    if (list_move(&view->list, action)) {
        list_select_line(&view->list, history_key_of, view);
        return VIEW_DONE;
    }
    switch (action) {
    case ACTION_LEFT:
    case ACTION_HISTORY: /* here it is vi's left */
        pan(view, -1);
        return VIEW_DONE;
    case ACTION_RIGHT:
        pan(view, 1);
        return VIEW_DONE;
    case ACTION_ZOOM_IN:
    case ACTION_ZOOM_OUT:
        zoom(view, action == ACTION_ZOOM_OUT);
        return VIEW_DONE;
    case ACTION_OPEN:
        return history_go_there(view);
    case ACTION_EXPLAIN:
        failover = failover_at(view, view->list.at);
        return view_open(next, failover ? story_view_new(self->cluster, self->path, failover) : NULL);
    default:
        return VIEW_IGNORED;
    }
}

static enum view_result history_click(struct view *self, const struct scene *scene, int x, int y, bool twice,
                                      struct view **next)
{
    (void)next;
    struct history_view *view = (struct history_view *)self;
    int64_t at_us = gantt_time_at(&view->gantt, x);
    if (!scene->history || !view->read)
        return VIEW_IGNORED;
    if (y >= view->lanes_y && y < view->lanes_y + view->gantt_rows + 2 && at_us >= 0) {
        view->travel_us = at_us;
        view->travels_there = false;
        return VIEW_TRAVEL;
    }
    if (!list_click(&view->list, view->table_y, y, twice, history_key_of, view))
        return VIEW_IGNORED;
    return twice ? history_go_there(view) : VIEW_DONE;
}

static struct destination history_destination(const struct view *self)
{
    const struct history_view *view = (const struct history_view *)self;
    return (struct destination){view->travel_us, self->cluster, view->travels_there ? self->path : NULL};
}

static void history_title(struct view *self, const struct scene *scene, struct cells *cells, int x, int room)
{
    label_put_page(cells, x, room, scene->model, self->cluster, view_name(self, scene), "history");
}

static void history_release(struct view *self)
{
    struct history_view *view = (struct history_view *)self;
    leadership_history_clear(&view->leadership);
    names_free(&view->names);
    failover_table_free(&view->table);
    list_release(&view->list);
    free(view->error);
}

/* Where nothing was recorded there is only the way back. */
static bool history_heeds(const struct view *self, const struct scene *scene, enum action action)
{
    const struct history_view *view = (const struct history_view *)self;
    if (action == ACTION_EXPLAIN)
        return scene->history && view->read && view->leadership.failover_count > 0;
    return action == ACTION_BACK || (scene->history && view->read);
}

static const char *history_word(const struct view *self, const struct scene *scene, enum action action)
{
    return action == ACTION_HISTORY ? "earlier" /* here it is vi's left */
           : action == ACTION_EXPLAIN && history_heeds(self, scene, action) ? "why"
                                                                            : NULL;
}

static const struct view_ops ops = {
    .name = "history",
    .draw = history_draw,
    .action = history_action,
    .click = history_click,
    .title = history_title,
    .destination = history_destination,
    .release = history_release,
    .heeds = history_heeds,
    .word = history_word,
    .list = offsetof(struct history_view, list),
    .answers = VIEW_MOVES | ACTION_BIT(ACTION_LEFT) | ACTION_BIT(ACTION_RIGHT) | ACTION_BIT(ACTION_OPEN) |
               ACTION_BIT(ACTION_BACK) | ACTION_BIT(ACTION_ZOOM_IN) | ACTION_BIT(ACTION_ZOOM_OUT) |
               ACTION_BIT(ACTION_HISTORY) | ACTION_BIT(ACTION_EXPLAIN),
};

struct view *history_view_new(const char *cluster, const char *path)
{
    struct history_view *view = view_new(&ops, sizeof *view, cluster, path);
    view->follows = true;
    view->window = HOUR;
    view->longest_evidence = "";
    return &view->view;
}
