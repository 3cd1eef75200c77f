
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tui/screen/columns.h"
#include "tui/screen/safe.h"
#include "tui/views/gantt.h"
#include "tui/views/leadership_history.h"
#include "tui/views/list.h"
#include "tui/views/notices.h"
#include "tui/views/view.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"

/* ---- failovers as lines of a screen: their phases, and their totals ---- */

#define FAILOVER_COLUMNS 7

struct failover_table {
    struct column columns[FAILOVER_COLUMNS];
    int width; /* of the screen that they were laid for */
};

#define STATS_X 2
#define SPARKS_MOST 120
#define WHO_BYTES 160

enum { WHEN, WHO, CAUSE, DETECTED, VACANT, TAKEOVER, TOTAL };

static const struct column columns_of_failovers[FAILOVER_COLUMNS] = {
    [WHEN] = {.heading = "WHEN", .least = 12, .most = 16, .importance = 100},
    [WHO] = {.heading = "FROM -> TO", .least = 20, .most = 64, .importance = 95},
    [CAUSE] = {.heading = "CAUSE", .least = 9, .most = 10, .importance = 90},
    [DETECTED] = {.heading = "DETECTED IN", .least = 11, .most = 18, .importance = 70, .right = true},
    [VACANT] = {.heading = "VACANT", .least = 6, .most = 16, .importance = 80, .right = true},
    [TAKEOVER] = {.heading = "TAKEOVER", .least = 8, .most = 16, .importance = 60, .right = true},
    [TOTAL] = {.heading = "TOTAL", .least = 8, .most = 18, .importance = 85, .right = true},
};

/* A name as short as people speak of it; an identity in full. */
static const char *failover_lines_who(const struct cells *cells, const char *identity, const char *name,
                                      char *buffer, size_t size)
{
    if (identity)
        snprintf(buffer, size, "%s", identity);
    else if (name)
        label_short_name(cells, name, buffer, size);
    else
        snprintf(buffer, size, "nobody");
    return buffer;
}

static const char *when(const struct failover *failover, const struct cells *cells, bool days, char *buffer,
                        size_t size)
{
    time_t second = (time_t)(failover->lost_at.wall_us / 1000000);
    const char *latest = failover->gap_us > 0 ? cells_sign(cells, SIGN_AT_MOST) : "";
    char text[32] = "?";
    struct tm tm;
    if (!days)
        format_clock_ms(failover->lost_at.wall_us, text, sizeof text);
    else if (!localtime_r(&second, &tm) || strftime(text, sizeof text, "%b %e %H:%M:%S", &tm) == 0)
        snprintf(text, sizeof text, "?");
    snprintf(buffer, size, "%s%s", latest, text);
    return buffer;
}

static bool failover_lines_is_known(struct span span)
{
    return span.low_us != SPAN_OPEN || span.high_us != SPAN_OPEN;
}

static const char *span_text(const struct cells *cells, struct span span, char buffer[FORMAT_INTERVAL])
{
    return format_interval(span.low_us, span.high_us, cells->ascii, buffer);
}

static int failover_lines_width_of(const struct cells *cells, const char *text)
{
    return safe_width(text, strlen(text), cells->ascii);
}

/* Lays the columns for these failovers, of which first .. first + count will be drawn. days: the times are of
   several days. */
static void failover_table_lay(struct failover_table *table, const struct cells *cells, int x,
                               const struct leadership_history *leadership, size_t first, size_t count,
                               bool days)
{
    char text[WHO_BYTES], span[FORMAT_INTERVAL];
    if (table->width != cells->width) {
        memcpy(table->columns, columns_of_failovers, sizeof columns_of_failovers);
        table->width = cells->width;
    }
    table->columns[WHEN].least = days ? 15 : 12;
    table->columns[TAKEOVER].hidden = table->columns[TOTAL].hidden = true;
    for (size_t i = first; i < first + count && i < leadership->failover_count; i++) {
        const struct failover *failover = &leadership->failovers[leadership->failover_count - 1 - i];
        const struct span spans[] = {failover->detection, failover->vacancy, failover->takeover,
                                     failover->total};
        int wide = failover_lines_width_of(cells, cells_sign(cells, SIGN_ARROW)) + 2;
        wide += failover_lines_width_of(
            cells, failover_lines_who(cells, failover->from_identity, failover->from, text, sizeof text));
        wide += failover_lines_width_of(
            cells, failover_lines_who(cells, failover->to_identity, failover->to, text, sizeof text));
        columns_want(&table->columns[WHO], wide);
        columns_want(&table->columns[WHEN],
                     failover_lines_width_of(cells, when(failover, cells, days, text, sizeof text)));
        columns_want(&table->columns[CAUSE], (int)strlen(failover_cause_word(failover->cause)) + 1);
        if (failover_lines_is_known(failover->takeover) ||
            failover_lines_is_known(failover->total)) /* a layout with a mark */
            table->columns[TAKEOVER].hidden = table->columns[TOTAL].hidden = false;
        for (int k = 0; k < 4; k++)
            columns_want(&table->columns[DETECTED + k],
                         failover_lines_width_of(cells, span_text(cells, spans[k], span)));
    }
    int pair = table->columns[WHO].want;
    table->columns[WHO].least = pair > 32 ? 32 : pair < 20 ? 20 : pair;
    for (int k = DETECTED; k <= TOTAL; k++) {
        struct column *column = &table->columns[k];
        int heading = (int)strlen(column->heading);
        column->least = column->want > heading ? column->want : heading;
    }
    columns_lay(table->columns, FAILOVER_COLUMNS, x, cells->width - x - 1, cells->width >= 100 ? 3 : 2);
}

static void failover_table_head(struct cells *cells, const struct failover_table *table, int y)
{
    const struct column *pair = &table->columns[WHO];
    columns_head(cells, table->columns, FAILOVER_COLUMNS, y, -1, false);
    if (pair->width > 0) {
        cells_fill(cells, pair->x, y, pair->width, ROLE_HEADING);
        cells_printf(cells, pair->x, y, pair->width, ROLE_HEADING, "FROM %s TO",
                     cells_sign(cells, SIGN_ARROW));
    }
}

/* Both have the width they need, or half; one gets the width that the other does not need. */
static void put_pair(struct cells *cells, int x, int y, int width, const struct failover *failover)
{
    char from[WHO_BYTES], to[WHO_BYTES];
    const char *arrow = cells_sign(cells, SIGN_ARROW);
    int arrow_width = failover_lines_width_of(cells, arrow), room = width - arrow_width - 2;
    failover_lines_who(cells, failover->from_identity, failover->from, from, sizeof from);
    failover_lines_who(cells, failover->to_identity, failover->to, to, sizeof to);
    int left = failover_lines_width_of(cells, from), right = failover_lines_width_of(cells, to);
    if (room < 2)
        return;
    if (failover->from_identity != NULL && strcmp(from, to) == 0) {
        cells_printf(cells, x, y, width, ROLE_TEXT, "%s, new session", to);
        return;
    }
    if (left + right > room) {
        left = left <= room / 2 ? left : right <= room / 2 ? room - right : room / 2;
        right = room - left;
    }
    x += cells_put(cells, x, y, left, ROLE_DIM, from);
    cells_put(cells, x + 1, y, arrow_width, ROLE_DIM, arrow);
    cells_put(cells, x + arrow_width + 2, y, right, ROLE_TEXT, to);
}

static style look_of(enum failover_cause cause)
{
    switch (cause) {
    case CAUSE_EXPIRED:
        return ROLE_WARNING; /* unintended */
    case CAUSE_RESIGNED:
        return ROLE_GOOD;
    case CAUSE_UNKNOWN:
        return ROLE_DIM;
    default:
        return ROLE_TEXT;
    }
}

static void failover_lines_put_span(struct cells *cells, const struct column *column, int y, struct span span,
                                    bool applies, style look)
{
    char text[FORMAT_INTERVAL];
    if (!applies && !failover_lines_is_known(span))
        columns_put(cells, column, y, ROLE_DIM, cells_sign(cells, SIGN_DASH));
    else
        columns_put(cells, column, y, failover_lines_is_known(span) ? look : (style)ROLE_DIM,
                    span_text(cells, span, text));
}

static void failover_table_row(struct cells *cells, const struct failover_table *table, int y,
                               const struct failover *failover, bool days)
{
    const struct column *columns = table->columns;
    char text[64];
    columns_put(cells, &columns[WHEN], y, ROLE_TEXT, when(failover, cells, days, text, sizeof text));
    put_pair(cells, columns[WHO].x, y, columns[WHO].width, failover);
    snprintf(text, sizeof text, "%s%s", failover_cause_word(failover->cause),
             failover->cause != CAUSE_UNKNOWN && failover->cause_certainty != CERTAINTY_CERTAIN ? "?" : "");
    columns_put(cells, &columns[CAUSE], y, look_of(failover->cause), text);
    failover_lines_put_span(cells, &columns[DETECTED], y, failover->detection,
                            failover_has_detection(failover->cause), ROLE_TEXT);
    failover_lines_put_span(cells, &columns[VACANT], y, failover->vacancy, true,
                            failover->vacancy.high_us == 0 ? ROLE_DIM : ROLE_WARNING);
    failover_lines_put_span(cells, &columns[TAKEOVER], y, failover->takeover, true, ROLE_TEXT);
    failover_lines_put_span(cells, &columns[TOTAL], y, failover->total, true, ROLE_TEXT | STYLE_BOLD);
}

/* Figures. */

static int failover_lines_put_figure(struct cells *cells, int x, int y, const char *word, struct span span)
{
    char text[FORMAT_INTERVAL];
    int begun = x;
    x += cells_put(cells, x, y, -1, ROLE_DIM, word) + 1;
    x += cells_put(cells, x, y, -1, ROLE_STRONG, span_text(cells, span, text));
    return x - begun + 3;
}

/* How long one took, as far as that is known: the most that it can have been. */
static int64_t length_of(const struct failover *failover)
{
    struct failover_sample sample;
    if (!failover_sample_of(failover, &sample))
        return -1;
    return sample.length.high_us != SPAN_OPEN ? sample.length.high_us : sample.length.low_us;
}

/* A column for each of the latest, the newest at the right, over a common scale from 0. */
static void put_sparks(struct cells *cells, int x, int y, int end,
                       const struct leadership_history *leadership)
{
    int64_t lengths[SPARKS_MOST], longest = 0;
    int count = 0, most = label_room(x, end) < SPARKS_MOST ? label_room(x, end) : SPARKS_MOST;
    for (size_t i = leadership->failover_count; i-- > 0 && count < most;) {
        int64_t length = length_of(&leadership->failovers[i]);
        if (length < 0)
            continue;
        lengths[count++] = length;
        longest = length > longest ? length : longest;
    }
    for (int i = 0; i < count; i++) {
        int64_t eighths = longest > 0 ? (lengths[i] * CELL_EIGHTHS + longest / 2) / longest : 1;
        cells_put(cells, x + count - 1 - i, y, 1, lengths[i] == longest ? ROLE_WARNING : ROLE_BAR_A,
                  cells_level(cells, eighths < 1 ? 1 : (unsigned)eighths));
    }
}

static void put_causes(struct cells *cells, int y, const struct leadership_history *leadership)
{
    static const enum failover_cause order[] = {CAUSE_EXPIRED, CAUSE_CLOSED,  CAUSE_ENDED,  CAUSE_RESIGNED,
                                                CAUSE_EVICTED, CAUSE_DELETED, CAUSE_UNKNOWN};
    size_t counts[CAUSE_COUNT] = {0}, after_gap = 0;
    int x = STATS_X;
    for (size_t i = 0; i < leadership->failover_count; i++) {
        counts[leadership->failovers[i].cause]++;
        after_gap += leadership->failovers[i].gap_us > 0;
    }
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        struct span p50 = leadership->stats.by_cause[order[i]].p50;
        char text[FORMAT_INTERVAL];
        if (counts[order[i]] == 0)
            continue;
        x += cells_put(cells, x, y, -1, look_of(order[i]), failover_cause_word(order[i])) + 1;
        x += cells_printf(cells, x, y, -1, ROLE_TEXT, "%zu", counts[order[i]]);
        if (failover_lines_is_known(p50))
            x += cells_printf(cells, x, y, -1, ROLE_DIM, " (%s)", span_text(cells, p50, text));
        x += 3;
    }
    if (after_gap > 0)
        cells_printf(cells, x, y, -1, ROLE_DIM, "%zu found after a gap, in no figure", after_gap);
}

/* What the failovers of the window come to, on at most rows rows; returns the rows used. */
static int failover_stats_draw(struct cells *cells, int y, int rows,
                               const struct leadership_history *leadership)
{
    const struct failover_figures *all = &leadership->stats.all;
    int x = STATS_X;
    if (rows < 1 || leadership->failover_count == 0)
        return 0;
    if (all->count == 0) {
        cells_printf(cells, x, y, -1, ROLE_DIM, "%zu %s; of none is it known how long it took",
                     leadership->failover_count, leadership->failover_count == 1 ? "failover" : "failovers");
    } else {
        x += failover_lines_put_figure(cells, x, y, "p50", all->p50);
        x += failover_lines_put_figure(cells, x, y, "p90", all->p90);
        x += failover_lines_put_figure(cells, x, y, "p99", all->p99);
        x += failover_lines_put_figure(cells, x, y, "max", all->max);
        x += cells_printf(cells, x, y, -1, ROLE_DIM, "of %zu", all->count) + 3;
        put_sparks(cells, x, y, cells->width - 1, leadership);
    }
    if (rows < 2)
        return 1;
    put_causes(cells, y + 1, leadership);
    return 2;
}

/* A recording is written once a second, on a busy machine later, and is read again a moment after that. */
#define FRESH_US INT64_C(4000000)
#define SECOND_US INT64_C(1000000)
#define DAY_US (INT64_C(86400) * SECOND_US)
#define LEFT 2
/* Beside "evicted (suspected)"; and so many failovers stay in sight beside the evidence for one. */
#define EVIDENCE_X 24
#define ROWS_LEAST 2
/* A window of many is read again the less often: so many rows are worth a second. */
#define ROWS_A_SECOND 2000

static const int64_t windows_s[] = {60, 300, 900, 1800, 3600, 10800, 21600, 86400, 604800, 2592000, 31536000};
#define WINDOWS (sizeof windows_s / sizeof *windows_s)
#define HOUR 4

/* Who led one election when, and its failovers with their phases. */
struct history_view {
    struct view view;
    char *cluster, *path;
    struct leadership_history leadership;
    char *error; /* why it could not be read; NULL: it was */
    bool read;
    struct moment read_at;
    int64_t begun_us, limit_us; /* the recording's, or now */
    int64_t moment_us;          /* of the past, that is shown; 0: it is now */
    unsigned window;
    bool chosen;    /* the user chose the window; else it grows with the known time */
    bool moved;     /* ... since it was read: it is not waited with */
    bool follows;   /* ends at the limit */
    int64_t end_us; /* where it does not */
    int64_t from_us, to_us;
    int64_t travel_us;
    bool travels_there; /* and shows the election */
    struct list list;   /* of failovers, the latest first */
    struct gantt lanes;
    int lanes_y, lanes_rows, table_y;
    struct failover_table table;
    const char *longest_evidence; /* of all failovers, in the chronicle; "": there is none */
};

/* The rows under the lanes: a rule, the table with its head, the figures, on what the chosen one's cause
 * rests. */
struct shares {
    int rows, stats, evidence;
    bool apart; /* a free row between the table and what follows it */
};

static struct history_view *history_view_of(struct view *view)
{
    return (struct history_view *)view;
}

static int64_t history_window_us(const struct history_view *view)
{
    return windows_s[view->window] * SECOND_US;
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
        view->window = 0;
        while (view->window < HOUR && history_window_us(view) < view->limit_us - view->begun_us)
            view->window++;
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
    leadership_history_read(&view->leadership, scene->history, view->cluster, view->path, view->from_us,
                            view->to_us, &view->error);
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

/* The list of failovers. */

static const struct failover *failover_at(const struct history_view *view, size_t i)
{
    const struct leadership_history *leadership = &view->leadership;
    return i < leadership->failover_count ? &leadership->failovers[leadership->failover_count - 1 - i] : NULL;
}

static void history_key_of(const struct failover *failover, char *buffer, size_t size)
{
    snprintf(buffer, size, "%" PRId64 " %s", failover->lost_at.wall_us, failover->from ? failover->from : "");
}

static void history_select_line(struct history_view *view)
{
    const struct failover *failover = failover_at(view, view->list.at);
    char key[512];
    if (!failover)
        return;
    history_key_of(failover, key, sizeof key);
    list_select(&view->list, key);
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
    char key[512];
    bool found = false;
    list_begin(list, view->leadership.failover_count, rows);
    for (size_t i = 0; list->key && i < list->count && !found; i++) {
        history_key_of(failover_at(view, i), key, sizeof key);
        found = strcmp(key, list->key) == 0;
        if (found)
            list_found(list, i);
    }
    if (list->key && !found)
        list_lost(list);
    else if (!list->key && !list->gone)
        list_found(list, first_choice(view));
    list_show(list);
    if (!list->key)
        history_select_line(view);
}

/* Drawing. */

/* One figure more, where there is room for all of it. */
static int put_where_it_fits(struct cells *cells, int x, int y, const char *text)
{
    if (x + safe_width(text, strlen(text), cells->ascii) > cells->width - 1)
        return x;
    return x + cells_put(cells, x, y, -1, ROLE_DIM, text) + 3;
}

/* How often the leader changed, and how long one led. */
static int put_tenures(struct cells *cells, int x, int y, const struct leadership_history *leadership)
{
    char usual[24], longest[24], text[120];
    if (leadership->tenure_count < 2 || leadership->cut)
        return x;
    if (leadership->changes_per_hour > 0) {
        format_rate(leadership->changes_per_hour, usual, sizeof usual);
        snprintf(text, sizeof text, "%s an hour", usual);
        x = put_where_it_fits(cells, x, y, text);
    }
    snprintf(text, sizeof text, "tenures p50 %s  max %s",
             format_age(leadership->tenure_p50_us, usual, sizeof usual),
             format_age(leadership->tenure_max_us, longest, sizeof longest));
    return put_where_it_fits(cells, x, y, text);
}

static void draw_window(const struct history_view *view, struct cells *cells, int y,
                        const struct scene *scene)
{
    const struct leadership_history *leadership = &view->leadership;
    char from[32], to[32], text[96];
    int x = LEFT;
    x +=
        cells_put(cells, x, y, -1, ROLE_STRONG, label_when(view->from_us, scene->now, from, sizeof from)) + 1;
    x += cells_put(cells, x, y, -1, ROLE_DIM, cells_sign(cells, SIGN_DASH)) + 1;
    x += cells_put(cells, x, y, -1, ROLE_STRONG,
                   view->follows && !scene->past ? "now"
                                                 : label_when(view->to_us, scene->now, to, sizeof to)) +
         3;
    x += cells_printf(cells, x, y, -1, ROLE_TEXT, "%zu %s", leadership->leader_count,
                      leadership->leader_count == 1 ? "leader" : "leaders") +
         3;
    bool more = leadership->failover_count == LEADERSHIP_HISTORY_MOST;
    x +=
        cells_printf(cells, x, y, -1, ROLE_TEXT, "%s%zu %s", more ? "more than " : "",
                     leadership->failover_count, leadership->failover_count == 1 ? "failover" : "failovers") +
        3;
    if (leadership->clock.before_us) /* why times go back in the table */
        x += cells_printf(cells, x, y, -1, ROLE_WARNING, "clock set %s at %s",
                          leadership->clock.after_us < leadership->clock.before_us ? "back" : "forward",
                          label_when(leadership->clock.before_us, scene->now, from, sizeof from)) +
             3;
    x = put_tenures(cells, x, y, leadership);
    snprintf(text, sizeof text, "%s", leadership->cut ? "more than can be shown: + for a shorter time" : "");
    if (!*text && view->lanes_rows > 0 && gantt_count(leadership) > (size_t)view->lanes_rows)
        snprintf(text, sizeof text, "lanes %" PRIu32 "-%" PRIu32 " of %zu", view->lanes.top + 1,
                 view->lanes.top + (uint32_t)view->lanes_rows, gantt_count(leadership));
    if (x + safe_width(text, strlen(text), cells->ascii) < cells->width)
        cells_put_right(cells, cells->width - 1, y, label_room(x, cells->width - 1),
                        leadership->cut ? ROLE_WARNING : ROLE_DIM, text);
}

/* Those of the chosen failover are brought in: who led before, and above all who led after. */
static void scroll_lanes(struct history_view *view)
{
    const struct failover *failover = failover_at(view, view->list.at);
    size_t count = gantt_count(&view->leadership), rows = (size_t)view->lanes_rows;
    view->lanes.top = 0;
    if (!failover || rows == 0 || count <= rows)
        return;
    const uint32_t wanted[] = {
        leadership_history_lane(&view->leadership, failover->from_identity, failover->from),
        leadership_history_lane(&view->leadership, failover->to_identity, failover->to)};
    for (int i = 0; i < 2; i++) {
        size_t line = wanted[i] < LANE_UNKNOWN ? (size_t)wanted[i] + view->leadership.vacant : 0;
        if (line >= view->lanes.top + rows)
            view->lanes.top = (uint32_t)(line - rows + 1);
        else if (line < view->lanes.top)
            view->lanes.top = (uint32_t)line;
    }
}

static int history_label_width(const struct cells *cells, const struct leadership_history *leadership)
{
    int widest = 6, most = cells->width >= 120 ? 28 : cells->width / 5;
    for (size_t i = 0; i < leadership->leader_count && widest < most; i++) {
        const char *who = leadership->leaders[i].who;
        int width = safe_width(who, strlen(who), cells->ascii);
        widest = width > widest ? width : widest;
    }
    return widest < most ? widest : most;
}

static int draw_lanes(struct history_view *view, struct cells *cells, int y, int rows,
                      const struct scene *scene)
{
    struct gantt *lanes = &view->lanes;
    const struct failover *chosen = failover_at(view, view->list.at);
    lanes->label_x = LEFT;
    lanes->x = LEFT + history_label_width(cells, &view->leadership) + 2;
    lanes->width = label_room(lanes->x, cells->width - 1);
    lanes->from_us = view->from_us;
    lanes->to_us = view->to_us;
    lanes->fresh_us = scene->past || !view->follows ? 0 : FRESH_US;
    lanes->moment_us = scene->past ? scene->now.wall_us : 0;
    lanes->chosen_us = chosen ? chosen->lost_at.wall_us : 0;
    view->lanes_y = y;
    view->lanes_rows = rows;
    scroll_lanes(view);
    gantt_draw(cells, y, rows, lanes, &view->leadership);
    gantt_draw_marks(cells, y + rows, lanes, &view->leadership);
    gantt_draw_axis(cells, y + rows + 1, lanes);
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
        if (list->top + i == list->at) {
            cells_put(cells, 0, row, 1, ROLE_ACCENT, cells_sign(cells, SIGN_SELECTED));
            cells_select_row(cells, row, 0, cells->width);
        }
    }
}

/* As much as the longest evidence wants, so that nothing moves as one goes through the table; of which two
   rows stay at least. */
static struct shares share_out(const struct history_view *view, const struct cells *cells, int y, int bottom)
{
    int room = bottom - y, width = label_room(EVIDENCE_X, cells->width - 1);
    struct shares shares = {.stats = view->leadership.failover_count == 0 ? 0
                                     : room >= 6                          ? 2
                                                                          : room >= 4,
                            .evidence = room >= 8};
    shares.apart = shares.stats == 2 && shares.evidence;
    shares.rows = room - 2 - shares.stats - shares.evidence - shares.apart;
    int more = shares.evidence ? wrap_lines(cells, width, view->longest_evidence) - 1 : 0;
    if (more > 0 && more > shares.rows - ROWS_LEAST && shares.apart) {
        shares.apart = false;
        shares.rows++;
    }
    more = more < shares.rows - ROWS_LEAST ? more : shares.rows - ROWS_LEAST;
    if (more > 0) {
        shares.evidence += more;
        shares.rows -= more;
    }
    shares.rows = shares.rows > 0 ? shares.rows : 0;
    return shares;
}

/* On what its cause rests. */
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
    wrap_put(cells, x, y, label_room(x, cells->width - 1), rows, ROLE_TEXT,
             failover->evidence ? failover->evidence : "no more is known of it");
}

static void history_draw_failovers(struct history_view *view, struct cells *cells, int y, int bottom)
{
    const struct leadership_history *leadership = &view->leadership;
    char caption[64];
    if (y >= bottom)
        return;
    struct shares shares = share_out(view, cells, y, bottom);
    if (view->list.rows > 0 && view->list.count > view->list.rows)
        snprintf(caption, sizeof caption, "failovers, %zu of %zu", view->list.at + 1, view->list.count);
    else
        snprintf(caption, sizeof caption, "failovers");
    cells_rule(cells, 0, y++, cells->width, caption);
    if (leadership->failover_count == 0) {
        cells_put(cells, LEFT, y, -1, ROLE_DIM,
                  "None in this time. Left goes back in time, - shows a longer one.");
        return;
    }
    if (shares.rows > 0)
        history_draw_table(view, cells, y, shares.rows + 1);
    failover_stats_draw(cells, bottom - shares.stats - shares.evidence, shares.stats, leadership);
    if (shares.evidence)
        draw_evidence(view, cells, bottom - shares.evidence, shares.evidence);
}

static void history_draw(struct view *self, const struct scene *scene, struct cells *cells)
{
    struct history_view *view = history_view_of(self);
    int airy = cells->height >= 18, y = airy, bottom = cells->height - (cells->height >= 26);
    if (!scene->history) {
        cells_put(cells, LEFT, y, -1, ROLE_WARNING, "What happened here is not recorded.");
        if (scene->history_problem)
            cells_put(cells, LEFT, y + 1, -1, ROLE_DIM, scene->history_problem);
        return;
    }
    lay_window(view, scene, cells->width);
    read_window(view, scene);
    if (view->error) {
        cells_put(cells, LEFT, y, -1, ROLE_WARNING, "The recording cannot be read.");
        cells_put(cells, LEFT, y + 1, -1, ROLE_DIM, view->error);
        return;
    }
    int most = (cells->height - y) / 3, wanted = (int)gantt_count(&view->leadership);
    int rows = wanted < most ? wanted : most > 1 ? most : 1;
    int table_y = y + 1 + airy + rows + 2;
    follow_list(view, (size_t)share_out(view, cells, table_y, bottom).rows);
    view->lanes_rows = rows;
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
    if (longer)
        view->window += view->window + 1 < WINDOWS;
    else
        view->window -= view->window > 0;
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

static enum view_result history_tell_why(const struct history_view *view, struct view **next)
{
    const struct failover *failover = failover_at(view, view->list.at);
    *next = failover ? story_view_new(view->cluster, view->path, failover->lost_at.wall_us) : NULL;
    return *next ? VIEW_OPEN : VIEW_IGNORED;
}

static enum view_result history_action(struct view *self, const struct scene *scene, enum action action,
                                       struct view **next)
{
    struct history_view *view = history_view_of(self);
    if (action == ACTION_BACK)
        return VIEW_CLOSE;
    if (!scene->history || !view->read)
        return VIEW_IGNORED;
    follow_list(view, view->list.rows);
    if (list_move(&view->list, action)) {
        history_select_line(view);
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
        return history_tell_why(view, next);
    default:
        return VIEW_IGNORED;
    }
}

static enum view_result history_click(struct view *self, const struct scene *scene, int x, int y, bool twice,
                                      struct view **next)
{
    (void)next;
    struct history_view *view = history_view_of(self);
    int64_t at_us = gantt_time_at(&view->lanes, x);
    if (!scene->history || !view->read)
        return VIEW_IGNORED;
    if (y >= view->lanes_y && y < view->lanes_y + view->lanes_rows + 2 && at_us >= 0) {
        view->travel_us = at_us;
        view->travels_there = false;
        return VIEW_TRAVEL;
    }
    size_t line = list_line_at(&view->list, view->table_y, y);
    if (line == SIZE_MAX)
        return VIEW_IGNORED;
    view->list.at = line;
    history_select_line(view);
    return twice ? history_go_there(view) : VIEW_DONE;
}

static struct destination history_destination(const struct view *self)
{
    const struct history_view *view = (const struct history_view *)self;
    return (struct destination){view->travel_us, view->cluster, view->travels_there ? view->path : NULL};
}

static void history_title(struct view *self, const struct scene *scene, struct cells *cells, int x, int room)
{
    const struct history_view *view = history_view_of(self);
    const struct cluster *cluster = notices_cluster(scene, view->cluster);
    const struct election *election =
        cluster ? model_election(scene->model, (unsigned)(cluster - scene->model->clusters), view->path)
                : NULL;
    int end = x + room;
    x += label_put_crumbs(cells, x, room, view->cluster, election ? election->name : view->path, NULL);
    cells_printf(cells, x + 1, 0, label_room(x + 1, end), ROLE_TITLE, "%s history",
                 cells_sign(cells, SIGN_CRUMB));
}

static bool history_path(struct view *self, const struct scene *scene, char *buffer, size_t size)
{
    (void)scene;
    return snprintf(buffer, size, "%s", history_view_of(self)->path) < (int)size;
}

static void history_free(struct view *self)
{
    struct history_view *view = history_view_of(self);
    leadership_history_clear(&view->leadership);
    list_release(&view->list);
    free(view->error);
    free(view->cluster);
    free(view->path);
    free(view);
}

/* Where nothing was recorded there is only the way back. */
static bool history_heeds(const struct view *self, const struct scene *scene, enum action action)
{
    const struct history_view *view = (const struct history_view *)(const void *)self;
    if (action == ACTION_EXPLAIN)
        return scene->history && view->read && view->leadership.failover_count > 0;
    return action == ACTION_BACK || (scene->history && view->read);
}

static const char *history_word(const struct view *self, const struct scene *scene, enum action action)
{
    return action == ACTION_HISTORY                                         ? "earlier" /* here it is vi's left */
           : action == ACTION_EXPLAIN && history_heeds(self, scene, action) ? "why"
                                                                            : NULL;
}

static const struct view_ops ops = {
    .name = "history",
    .draw = history_draw,
    .action = history_action,
    .click = history_click,
    .title = history_title,
    .path = history_path,
    .destination = history_destination,
    .free = history_free,
    .heeds = history_heeds,
    .word = history_word,
    .answers = VIEW_MOVES | ACTION_BIT(ACTION_LEFT) | ACTION_BIT(ACTION_RIGHT) | ACTION_BIT(ACTION_OPEN) |
               ACTION_BIT(ACTION_BACK) | ACTION_BIT(ACTION_ZOOM_IN) | ACTION_BIT(ACTION_ZOOM_OUT) |
               ACTION_BIT(ACTION_HISTORY) | ACTION_BIT(ACTION_EXPLAIN),
};

struct view *history_view_new(const char *cluster, const char *path)
{
    struct history_view *view = calloc(1, sizeof *view);
    if (!view)
        return NULL;
    view->view.ops = &ops;
    view->follows = true;
    view->window = HOUR;
    view->longest_evidence = "";
    view->cluster = strdup(cluster);
    view->path = strdup(path);
    if (!view->cluster || !view->path) {
        history_free(&view->view);
        return NULL;
    }
    return &view->view;
}
