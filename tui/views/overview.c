#include <limits.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "config/option_table.h"
#include "tui/screen/cells.h"
#include "tui/screen/columns.h"
#include "tui/views/cluster_lines.h"
#include "tui/views/election_head.h"
#include "tui/views/event_lines.h"
#include "tui/views/list.h"
#include "tui/views/overview_summary.h"
#include "tui/views/strip.h"
#include "tui/views/screens.h"
#include "tui/words/election_filter.h"
#include "tui/words/failover_facts.h"
#include "tui/words/finding_lines.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"
#include "tui/words/mutes.h"
#include "tui/words/names.h"

#define SIGN_X 2
#define TABLE_X 4
#define STRIP_MOST 60
#define VERY_WIDE 160
#define ROOMY 28 /* with at least this many rows, a blank one precedes the footer */
#define KEY_BYTES 2048
#define CHANGES_LEAST 9
#define NEXT_MOST 8    /* candidates of an election that its leader's short name is told from */
#define CAUSES_ROOM 25 /* of the column of changes, where the table is sorted by it: one of the latest */
#define CAUSES_WIDE 72 /* ... all of them */

enum {
    COLUMN_CLUSTER,
    COLUMN_ELECTION,
    COLUMN_STATE,
    COLUMN_LEADER,
    COLUMN_CANDIDATES,
    COLUMN_SINCE,
    COLUMN_STRIP,
    COLUMN_CHANGES,
    COLUMN_CHANGED,
    COLUMN_USUAL,
    COLUMN_NEXT,
    COLUMN_FINDING,
    COLUMN_COUNT
};

static const struct column columns_of_overview[COLUMN_COUNT] = {
    [COLUMN_CLUSTER] = {.heading = "CLUSTER", .least = 7, .most = 16, .importance = 70},
    [COLUMN_ELECTION] = {.heading = "ELECTION", .least = 8, .most = 80, .importance = 100},
    [COLUMN_STATE] = {.heading = "STATE", .least = 9, .most = 12, .importance = 95},
    [COLUMN_LEADER] = {.heading = "LEADER", .least = 10, .most = 60, .importance = 90},
    [COLUMN_CANDIDATES] = {.heading = "CAND", .least = 5, .most = 8, .importance = 75, .right = true},
    [COLUMN_SINCE] = {.heading = "SINCE", .least = 6, .most = 7, .importance = 80},
    [COLUMN_STRIP] = {.heading = "", .least = 7, .most = 24, .importance = 60, .filler = true},
    [COLUMN_CHANGES] =
        {.heading = "CHANGES", .least = CHANGES_LEAST, .most = 40, .importance = 38, .optional = true},
    [COLUMN_CHANGED] = {.heading = "LAST FAILOVER", .least = 13, .most = 24, .importance = 55},
    [COLUMN_USUAL] = {.heading = "P50", .least = 6, .most = 13, .importance = 40, .optional = true},
    [COLUMN_NEXT] = {.heading = "NEXT", .least = 9, .most = 24, .importance = 88},
    [COLUMN_FINDING] = {.heading = "FINDING", .least = 7, .most = 40, .importance = 85},
};

static const int column_sorted_by[SORT_COUNT] = {
    [SORT_WORST] = COLUMN_STATE,     [SORT_NAME] = COLUMN_ELECTION,
    [SORT_LEADER] = COLUMN_LEADER,   [SORT_CANDIDATES] = COLUMN_CANDIDATES,
    [SORT_SINCE] = COLUMN_SINCE,     [SORT_CHANGED] = COLUMN_CHANGED,
    [SORT_NEXT] = COLUMN_NEXT,       [SORT_FINDING] = COLUMN_FINDING,
    [SORT_CHANGES] = COLUMN_CHANGES,
};

/* Which rows' widths are known: those of elections that have not changed since, for a while. */
struct wanted {
    uint64_t version; /* of the order; 0: none are known */
    const struct model *model;
    uint64_t turn; /* of the model; 0: it is frozen */
    int64_t at_us, window_us;
    size_t prefix;
    bool by_name, chosen; /* a filter leaves out rows, which may change meanwhile */
};

struct overview {
    struct view view;
    struct list list;
    struct overview_order order;
    uint64_t version; /* of the order that the selection was last looked up in */
    struct column columns[COLUMN_COUNT];
    struct names elections, leaders; /* of the lines that are shown */
    struct names clusters;
    bool twice;           /* two of them have one name, in two clusters */
    struct wanted wanted; /* what the columns' wishes were gathered from */
    int columns_width;    /* of the screen that the columns' wishes were gathered for */
    int name_least;       /* columns in which the names that were shown there differ */
    struct strip_zoom zoom;
    bool left_out[COLUMN_COUNT]; /* by the user's choice */
    bool named;   /* the others were: they are shown even beside names that want all the room */
    bool chooses; /* the columns: the list of them is shown */
    bool turned;  /* one of them was, since overview_view_take_choice() */
    size_t choice;
    bool chosen; /* the user has moved: until then the worst is selected */
    int first_y; /* the row of the first line, for clicks */
};

static bool overview_key_of(const void *context, size_t line, char key[LIST_KEY_BYTES])
{
    const struct election *election = overview_order_at(context, line);

    if (election != NULL)
        overview_key(election, key, LIST_KEY_BYTES);
    return election != NULL;
}

/* A heading cannot be selected: the next election in this direction is, or the other one at the end. */
static void skip_heading(struct overview *overview, bool down)
{
    struct list *list = &overview->list;

    for (int turn = 0; turn < 2; turn++, down = !down)
        for (size_t at = list->at; at < overview->order.count; at += down ? 1 : (size_t)-1)
            if (overview_order_at(&overview->order, at) != NULL) {
                list->at = at;
                list_show(list);
                return;
            }
}

static void make_order(struct overview *overview, const struct scene *scene)
{
    struct overview_order *order = &overview->order;

    order->dirty |= order->sort == SORT_CHANGES && order->window != overview->zoom.window;
    order->window = overview->zoom.window;
    overview_order_make(order, scene);
}

/* Brings order and selection up to date with the model; the selection is then at list.at. */
static void overview_follow_model(struct overview *overview, const struct scene *scene, size_t rows)
{
    struct list *list = &overview->list;

    make_order(overview, scene);
    list_begin(list, overview->order.count, rows);
    if (list->gone != NULL && overview_order_find(&overview->order, list->gone) < overview->order.count) {
        list_returned(list); /* from a time in which it was not there */
        overview->version = overview->order.version - 1;
    }
    if (list->key != NULL && overview->version != overview->order.version) {
        size_t at = overview_order_find(&overview->order, list->key);

        if (at < overview->order.count)
            list_found(list, at);
        else if (overview->order.filter[0] != '\0' || overview->order.problems)
            list_home(list); /* hidden, not gone */
        else
            list_lost(list);
    }
    overview->version = overview->order.version;
    skip_heading(overview, true);
    list_show(list);
    if (list->key == NULL)
        list_select_line(list, overview_key_of, &overview->order);
}

/* The rows. */

static char *changed_when(const struct cells *cells, const struct election *election, struct moment now,
                          char *buffer, size_t size)
{
    char when[32];

    label_when(failover_facts_lost(election).wall_us, now, when, sizeof when);
    snprintf(buffer, size, "%s%s", election->change.lost_seen ? "" : cells_sign(cells, SIGN_AT_MOST), when);
    return buffer;
}

/* What LAST FAILOVER and P50 would like to have. */
static void want_changed(struct column *columns, const struct cells *cells, const struct election *election,
                         struct moment now)
{
    char when[32], took[FORMAT_INTERVAL];

    columns_want(&columns[COLUMN_CHANGED], 1); /* a dash */
    if (failover_facts_lost(election).mono_us == 0)
        return;
    changed_when(cells, election, now, when, sizeof when);
    failover_facts_last(cells, election, FORMAT_INTERVAL, took);
    columns_want(&columns[COLUMN_CHANGED], cells_width(cells, when) + 1 + cells_width(cells, took));
    if (failover_facts_usual(cells, election, FORMAT_INTERVAL, took))
        columns_want(&columns[COLUMN_USUAL], cells_width(cells, took));
}

static void drop_seconds(char *clock)
{
    char *minutes = strchr(clock, ':'), *seconds = minutes != NULL ? strchr(minutes + 1, ':') : NULL;

    if (seconds != NULL)
        *seconds = '\0';
}

static void draw_changed(const struct overview *overview, struct cells *cells, int y,
                         const struct scene *scene, const struct election *election)
{
    const struct column *columns = overview->columns;
    const struct change *change = &election->change;
    const char *dash = cells_sign(cells, SIGN_DASH);
    style look = label_stale(election) ? ROLE_DIM : ROLE_TEXT;
    const struct column *usual = &columns[COLUMN_USUAL];
    int room = columns[COLUMN_CHANGED].width;
    char when[32], took[FORMAT_INTERVAL], text[FORMAT_INTERVAL + 40];

    if (failover_facts_lost(election).mono_us == 0) {
        columns_put(cells, &columns[COLUMN_CHANGED], y, ROLE_DIM, dash);
        columns_put(cells, usual, y, ROLE_DIM, dash);
        return;
    }
    changed_when(cells, election, scene->now, when, sizeof when);
    room -= cells_width(cells, when) + 1;
    failover_facts_last(cells, election, room, took);
    if (cells_width(cells, took) > room) { /* the length says more than the seconds */
        drop_seconds(when);
        room = columns[COLUMN_CHANGED].width - cells_width(cells, when) - 1;
        failover_facts_last(cells, election, room, took);
    }
    bool fits = cells_width(cells, took) <= room;
    snprintf(text, sizeof text, "%s %s", when, fits ? took : "");
    columns_put(cells, &columns[COLUMN_CHANGED], y,
                change->to == NULL && election->kind != KIND_LOCK ? (style)ROLE_CRITICAL : look, text);
    bool known = failover_facts_usual(cells, election, usual->width, took);
    columns_put(cells, usual, y, known ? look : (style)ROLE_DIM, known ? took : dash);
}

/* How often the leader changed in the time of the strip, and why as far as there is room. */
static void draw_changes(const struct overview *overview, struct cells *cells, int y,
                         const struct scene *scene, const struct election *election)
{
    const struct column *column = &overview->columns[COLUMN_CHANGES];
    struct leader_changes changes;
    char text[160];

    if (column->width == 0)
        return;
    failover_facts_changes(election, scene->now, strip_window_us(overview->zoom.window), &changes);
    failover_facts_split(cells, &changes, column->width, text, sizeof text);
    columns_put(cells, column, y, changes.count == 0 || label_stale(election) ? ROLE_DIM : ROLE_TEXT,
                changes.count == 0 ? cells_sign(cells, SIGN_DASH) : text);
}

static void overview_put_finding(const struct overview *overview, struct cells *cells, int y,
                                 const struct election *election, struct moment now)
{
    const struct column *column = &overview->columns[COLUMN_FINDING];

    if (column->width == 0)
        return;
    if (election->problem != NULL && election->finding_count == 0)
        columns_put(cells, column, y, ROLE_WARNING, election->problem);
    else
        finding_put_worst(cells, column->x, y, column->width, election, now);
}

static bool is_ill(const struct election *election, struct moment now)
{
    const struct finding *worst = mutes_worst(election, now);

    return worst != NULL && worst->severity >= SEVERITY_ERROR;
}

/* The heading of a group: the part of the path that the elections below it share. */
static void draw_group(const struct overview *overview, struct cells *cells, int y,
                       const struct overview_row *row)
{
    char name[512];

    snprintf(name, sizeof name, "%.*s", (int)row->length, row->name + row->from);
    name_put(cells, overview->columns[COLUMN_ELECTION].x, y, cells->width - TABLE_X, ROLE_HEADING, name);
}

static void overview_draw_row(const struct overview *overview, struct cells *cells, int y,
                              const struct scene *scene, const struct overview_row *row)
{
    const struct election *election = row->election;
    const struct column *name = &overview->columns[COLUMN_ELECTION];
    int indent = row->in_group ? 2 : 0;
    const struct column *columns = overview->columns;
    const struct column *leader = &columns[COLUMN_LEADER], *strip = &columns[COLUMN_STRIP];
    struct badge badge = label_badge(election, scene->now), worse = finding_badge(election, scene->now);
    bool stale = label_stale(election);
    bool counted = election->state == ELECTION_LED || election->state == ELECTION_ELECTING ||
                   election->state == ELECTION_VACANT;
    char text[64];

    cells_put(cells, SIGN_X, y, 1, worse.look, cells_sign(cells, worse.sign));
    names_put(cells, &overview->clusters, &columns[COLUMN_CLUSTER], y, ROLE_DIM, election->cluster->name);
    cells_put(cells, name->x + indent, y, label_room(indent, name->width),
              stale                                                       ? (style)ROLE_DIM
              : badge.rank < RANK_HEALTHY || is_ill(election, scene->now) ? (style)ROLE_STRONG
                                                                          : (style)ROLE_TEXT,
              names_shown(&overview->elections, row->name + row->from));
    /* "stale 1" of 1.8s would be another time. */
    if ((int)strlen(badge.word) > columns[COLUMN_STATE].width)
        badge.word[strcspn(badge.word, " ")] = '\0';
    columns_put(cells, &columns[COLUMN_STATE], y, badge.look, badge.word);
    label_put_leader(cells, leader->x, y, leader->width, election, scene->now, &overview->leaders);
    if (counted)
        snprintf(text, sizeof text, "%zu", election->candidate_count);
    columns_put(cells, &columns[COLUMN_CANDIDATES], y,
                !counted || stale || election->candidate_count == 0 ? ROLE_DIM : ROLE_TEXT,
                counted                              ? text
                : election->state == ELECTION_ABSENT ? cells_sign(cells, SIGN_DASH)
                                                     : "?");
    /* A list in which each line changes every second cannot be read, and keeps a slow terminal busy. */
    columns_put(cells, &columns[COLUMN_SINCE], y, stale ? ROLE_DIM : ROLE_TEXT,
                label_since(cells, election, scene->now, AGE_MINUTES, text, sizeof text));
    strip_draw(cells, strip->x, y, strip->width, election, scene->now, strip_window_us(overview->zoom.window),
               NULL);
    draw_changes(overview, cells, y, scene, election);
    draw_changed(overview, cells, y, scene, election);
    label_put_verdict(cells, &columns[COLUMN_NEXT], y, election);
    overview_put_finding(overview, cells, y, election, scene->now);
}

/* With few columns, the finding is not cut, and only a sign shows its certainty. */
static int finding_width(const struct cells *cells, const struct election *election, struct moment now)
{
    int width;

    if (election->problem == NULL || election->finding_count > 0)
        return finding_worst_width(cells, election, now, cells->width >= 100);
    width = cells_width(cells, election->problem);
    return cells->width < 100 && width > 17 ? 17 : width;
}

/* The widths that one row needs. */
static void want_row(struct overview *overview, const struct cells *cells, const struct scene *scene,
                     const struct overview_row *row)
{
    struct column *columns = overview->columns;
    const struct election *election = row->election;
    struct leader_changes changes;
    char split[160];
    struct verdict verdict = label_verdict(cells, election);
    char who[256], name[64];

    want_changed(columns, cells, election, scene->now);
    failover_facts_changes(election, scene->now, strip_window_us(overview->zoom.window), &changes);
    columns_want(&columns[COLUMN_CHANGES],
                 cells_width(cells, failover_facts_split(cells, &changes, INT_MAX, split, sizeof split)));
    columns_want(&columns[COLUMN_CLUSTER], cells_width(cells, election->cluster->name));
    columns_want(&columns[COLUMN_ELECTION],
                 cells_width(cells, row->name + row->from) + (row->in_group ? 2 : 0));
    columns_want(&columns[COLUMN_CANDIDATES], snprintf(NULL, 0, "%zu", election->candidate_count));
    columns_want(&columns[COLUMN_STATE], (int)strlen(label_badge(election, scene->now).word));
    columns_want(&columns[COLUMN_NEXT], 2 + cells_width(cells, verdict.text));
    columns_want(&columns[COLUMN_FINDING], finding_width(cells, election, scene->now));
    if (election->leader != NULL)
        columns_want(
            &columns[COLUMN_LEADER],
            cells_width(cells, label_who(election->leader, who, sizeof who)) + 1 +
                cells_width(cells, name_of_candidate(cells, election->leader->name, name, sizeof name)));
    else
        columns_want(&columns[COLUMN_LEADER], 20);
}

/* Times grow, and need more room. */
#define WANTED_US 10000000

/* Collects the widths that all rows need, so that scrolling moves no column. No column becomes narrower. */
static void want_rows(struct overview *overview, const struct cells *cells, const struct scene *scene)
{
    const struct wanted before = overview->wanted;
    struct wanted *wanted = &overview->wanted;
    const struct overview_order *order = &overview->order;

    if (before.version == order->version)
        return;
    *wanted = (struct wanted){.version = order->version,
                              .model = scene->model,
                              .turn = scene->paused ? 0 : scene->model->turn,
                              .at_us = before.at_us,
                              .window_us = strip_window_us(overview->zoom.window),
                              .prefix = strlen(order->prefix),
                              .by_name = order->sort == SORT_NAME,
                              .chosen = order->filter[0] != '\0' || order->problems};
    int64_t passed_us = scene->now.mono_us - before.at_us;
    bool all = before.version == 0 || before.model != scene->model || before.turn == 0 || scene->paused ||
               passed_us < 0 || passed_us >= WANTED_US || wanted->window_us != before.window_us ||
               wanted->prefix != before.prefix || wanted->by_name != before.by_name || before.chosen;

    if (all)
        wanted->at_us = scene->now.mono_us;
    if (order->prefix[0] != '\0')
        columns_want(&overview->columns[COLUMN_ELECTION], 10 + cells_width(cells, order->prefix));
    for (size_t i = 0; i < order->count; i++) {
        const struct election *election = order->rows[i].election;

        if (election != NULL &&
            (all || election->turn > before.turn || election->cluster->turn > before.turn))
            want_row(overview, cells, scene, &order->rows[i]);
    }
}

/* Lays the columns out without those that the user hid. Their width goes to the others: columns that had no
 * room beside them come back last, so that a name never gets narrower when a column is hidden. */
static int leave_out(struct overview *overview, int room, int gap)
{
    struct column *columns = overview->columns;
    int spare = columns_lay(columns, COLUMN_COUNT, TABLE_X, room, gap);
    bool any = false, optional[COLUMN_COUNT];

    for (int i = 0; i < COLUMN_COUNT; i++)
        any |= overview->left_out[i];
    if (!any)
        return spare;
    if (!overview->named)
        columns[COLUMN_ELECTION].least = columns[COLUMN_ELECTION].width;
    for (int i = 0; i < COLUMN_COUNT; i++) {
        optional[i] = columns[i].optional;
        columns[i].optional = !overview->named && (columns[i].optional || columns[i].width == 0);
        columns[i].hidden |= overview->left_out[i];
    }
    spare = columns_lay(columns, COLUMN_COUNT, TABLE_X, room, gap);
    for (int i = 0; i < COLUMN_COUNT; i++)
        columns[i].optional = optional[i];
    return spare;
}

/* Where the table is sorted by it, causes come before whole names of leaders, and on a very wide screen all. */
static void lay_changes(struct column *column, bool sorted, int width)
{
    int causes = width >= VERY_WIDE ? CAUSES_WIDE : CAUSES_ROOM;

    column->optional = !sorted;
    column->importance = sorted ? 91 : columns_of_overview[COLUMN_CHANGES].importance;
    column->most = sorted ? CAUSES_WIDE : columns_of_overview[COLUMN_CHANGES].most;
    if (sorted)
        columns_want(column, CHANGES_LEAST);
    columns_keep(column, CHANGES_LEAST, sorted ? causes : CHANGES_LEAST);
}

/* Lays the columns out by the widths that their contents need. */
static void overview_lay_columns(struct overview *overview, const struct cells *cells,
                                 const struct scene *scene)
{
    struct column *columns = overview->columns;
    int wide = cells->width >= 110, leader;

    if (overview->columns_width != cells->width) {
        memcpy(columns, columns_of_overview, sizeof columns_of_overview);
        overview->columns_width = cells->width;
        overview->wanted.version = 0;
        overview->name_least = 0;
        overview->twice = false;
        if (cells->ascii) /* "<=12m03s" */
            columns[COLUMN_SINCE].least = columns[COLUMN_SINCE].most = 8;
        else
            columns[COLUMN_SINCE].least = 7;
    }
    columns[COLUMN_STRIP].hidden = cells->width < 90; /* seven cells say less than the name */
    columns[COLUMN_CLUSTER].hidden = scene->model->cluster_count < 2;
    columns[COLUMN_CLUSTER].importance =
        overview->twice ? 99 : columns_of_overview[COLUMN_CLUSTER].importance;
    for (int i = 0; i < COLUMN_COUNT; i++)
        columns[i].hidden = columns[i].hidden && (i == COLUMN_STRIP || i == COLUMN_CLUSTER);
    want_rows(overview, cells, scene);
    lay_changes(&columns[COLUMN_CHANGES], overview->order.sort == SORT_CHANGES, cells->width);
    if (columns[COLUMN_CANDIDATES].want > columns[COLUMN_CANDIDATES].least) /* half a number is another one */
        columns[COLUMN_CANDIDATES].least = columns[COLUMN_CANDIDATES].want;
    /* Names are cut only after the columns beside them have given way. */
    columns_keep(&columns[COLUMN_ELECTION], 8, cells->width < 70 ? 10 : cells->width < 100 ? 16 : 17);
    if (columns[COLUMN_ELECTION].least < overview->name_least)
        columns[COLUMN_ELECTION].least = overview->name_least;
    /* The longest word of a state; where columns are few its first, so that none goes for "taking over". */
    columns_keep(&columns[COLUMN_STATE], 6, cells->width < 130 ? 8 : 9);
    /* The longest codes: a finding is not cut. */
    columns_keep(&columns[COLUMN_FINDING], 7, cells->width < 70 ? 17 : 24);
    leader = cells->width < 100 && columns[COLUMN_FINDING].least > 17 ? 12
             : cells->width < 100 || columns[COLUMN_LEADER].want < 24 ? 15
                                                                      : columns[COLUMN_LEADER].want - 9;
    int most = cells->width < 130 ? 16 : 22; /* the latest failover is worth more than the last of a name */
    leader = leader > most ? most : leader;
    columns[COLUMN_LEADER].least = columns[COLUMN_LEADER].want > 15 ? leader : 10;
    int room = cells->width - TABLE_X - wide, gap = wide ? 2 : 1;
    int spare = leave_out(overview, room, gap);
    if (columns[COLUMN_ELECTION].width < columns[COLUMN_ELECTION].want && columns[COLUMN_CHANGED].want <= 1) {
        columns[COLUMN_CHANGED].hidden = columns[COLUMN_USUAL].hidden =
            true; /* a name is worth more than dashes */
        spare = leave_out(overview, room, gap);
    }
    if (spare > 0) { /* spare width shows more of the past */
        struct column *strip = &columns[COLUMN_STRIP];

        strip->most = strip->width + spare < STRIP_MOST ? strip->width + spare : STRIP_MOST;
        leave_out(overview, room, gap);
        strip->most = columns_of_overview[COLUMN_STRIP].most;
    }
}

/* A leader looks like none of the screen, the one before it, or those who may come after it. */
static void add_next_leaders(struct overview *overview)
{
    const struct list *list = &overview->list;
    char who[256];

    for (size_t i = list->top; i < list->top + list->rows && i < overview->order.count; i++) {
        const struct election *election = overview_order_row(&overview->order, i)->election;

        if (election == NULL || election->leader == NULL)
            continue;
        names_add(&overview->leaders, election->change.from_identity);
        for (size_t k = 0; k < election->candidate_count && k < NEXT_MOST; k++)
            names_add(&overview->leaders, label_who(election->candidates[k], who, sizeof who));
    }
}

/* Names are shortened among those on the screen, so that these remain distinct. */
static void fit_names(struct overview *overview, const struct cells *cells, const struct scene *scene)
{
    const struct list *list = &overview->list;
    bool grouped = false;
    char who[256];

    names_free(&overview->elections);
    names_free(&overview->leaders);
    names_free(&overview->clusters);
    names_add_clusters(&overview->clusters, scene->model);
    overview->elections.told = overview->order.prefix;
    for (size_t i = list->top; i < list->top + list->rows && i < overview->order.count; i++) {
        const struct overview_row *row = overview_order_row(&overview->order, i);

        if (row->election == NULL)
            continue;
        grouped |= row->in_group;
        size_t before = overview->elections.count;
        names_add(&overview->elections, row->name + row->from);
        overview->twice |= overview->elections.count == before && !row->in_group;
        if (row->election->leader != NULL)
            names_add(&overview->leaders, label_who(row->election->leader, who, sizeof who));
    }
    overview->leaders.keep_shared = overview->leaders.count < 2;
    add_next_leaders(overview);
    overview->elections.keep_shared = grouped;
    overview->elections.among = grouped ? NULL : scene->model;
    names_fit_column(&overview->elections, cells, &overview->columns[COLUMN_ELECTION], 2 * grouped);
    names_fit_column(&overview->leaders, cells, &overview->columns[COLUMN_LEADER], 0);
    names_fit_column(&overview->clusters, cells, &overview->columns[COLUMN_CLUSTER], 0);
}

#define NAME_STEP 6

/* Names that look alike get more columns, for which those beside them give way. */
static void lay_names(struct overview *overview, const struct cells *cells, const struct scene *scene)
{
    const struct column *name = &overview->columns[COLUMN_ELECTION];
    bool twice = overview->twice;

    overview_lay_columns(overview, cells, scene);
    fit_names(overview, cells, scene);
    if (overview->twice && !twice) {
        overview_lay_columns(overview, cells, scene);
        fit_names(overview, cells, scene);
    }
    while (overview->elections.alike > 0 && name->width >= overview->name_least && name->width < name->want &&
           name->width < cells->width / 2) {
        overview->name_least = name->width + NAME_STEP;
        overview_lay_columns(overview, cells, scene);
        fit_names(overview, cells, scene);
    }
}

static void draw_heads(const struct overview *overview, struct cells *cells, int y)
{
    const struct column *strip = &overview->columns[COLUMN_STRIP];
    int sorted = column_sorted_by[overview->order.sort];
    char heading[24];

    columns_head(cells, overview->columns, COLUMN_COUNT, y, sorted, overview->order.reverse);
    names_put_shared(cells, &overview->elections, &overview->columns[COLUMN_ELECTION], y);
    names_put_shared(cells, &overview->leaders, &overview->columns[COLUMN_LEADER], y);
    names_put_shared(cells, &overview->clusters, &overview->columns[COLUMN_CLUSTER], y);
    snprintf(heading, sizeof heading, "LAST %s", strip_window_word(overview->zoom.window));
    for (char *c = heading; *c != '\0'; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    columns_put(cells, strip, y, ROLE_HEADING, heading + (strip->width < (int)strlen(heading) ? 5 : 0));
}

static void draw_nothing(const struct overview *overview, struct cells *cells, int y, int rows,
                         const struct scene *scene)
{
    const char *problem = election_filter_problem(overview->order.filter);

    if (problem != NULL)
        columns_wrap_printf(cells, TABLE_X, y + rows / 4, ROLE_WARNING, "Nothing matches: %s.", problem);
    else if (overview->order.problems && overview->order.filter[0] == '\0' &&
             overview->order.totals.elections > 0)
        columns_wrap_printf(cells, TABLE_X, y + rows / 4, ROLE_GOOD,
                            "No election has a problem%s. %s shows all elections again.",
                            overview->order.totals.findings.muted > 0 ? " that is not muted" : "",
                            key_first(ACTION_PROBLEMS));
    else if (overview->order.filter[0] != '\0' && overview->order.totals.elections > 0)
        columns_wrap_printf(cells, TABLE_X, y + rows / 4, ROLE_TEXT,
                            "Nothing matches \"%s\". %s shows all elections again.", overview->order.filter,
                            key_first(ACTION_BACK));
    else
        cluster_lines_draw_empty(cells, TABLE_X, y + (rows > 6 ? 1 : 0), rows, scene);
}

/* The list of columns, over the table's right side. */
#define CHOOSER_WIDTH 34
#define CHOOSER_KEYS                                                                                         \
    (VIEW_MOVES | ACTION_BIT(ACTION_OPEN) | ACTION_BIT(ACTION_BACK) | ACTION_BIT(ACTION_COLUMNS))

static void draw_chooser(const struct overview *overview, struct cells *cells, int y)
{
    struct cells *box = cells_part(cells, CHOOSER_WIDTH, COLUMN_COUNT + 3);

    if (box == NULL)
        return;
    cells_rule(box, 0, 0, -1, "columns");
    for (int i = 0; i < COLUMN_COUNT; i++) {
        bool shown = !overview->left_out[i], given_way = overview->columns[i].width == 0;

        if ((size_t)i == overview->choice)
            cells_put(box, 1, 1 + i, 1, ROLE_ACCENT, cells_sign(box, SIGN_SELECTED));
        cells_printf(box, 3, 1 + i, 14, shown ? ROLE_TEXT : ROLE_DIM, "[%s] %s", shown ? "x" : " ",
                     option_column_words[i]);
        cells_put(box, 18, 1 + i, -1, ROLE_DIM,
                  i == COLUMN_ELECTION ? "always"
                  : i == COLUMN_CLUSTER && overview->columns[COLUMN_CLUSTER].width == 0 && shown
                      ? "if several"
                  : shown && given_way ? "no room"
                                       : "");
        if ((size_t)i == overview->choice)
            cells_select_row(box, 1 + i, 0, -1);
    }
    cells_printf(box, 1, COLUMN_COUNT + 1, -1, ROLE_DIM, "%s shows or hides; %s closes",
                 key_first(ACTION_OPEN), key_first(ACTION_BACK));
    cells_rule(box, 0, COLUMN_COUNT + 2, -1, NULL);
    cells_paste(cells, cells->width - CHOOSER_WIDTH, y, box);
}

/* The keys of that list. */
static enum view_result choose_column(struct overview *overview, enum action action)
{
    struct list lines = {.at = overview->choice, .rows = COLUMN_COUNT, .count = COLUMN_COUNT};

    if (list_move(&lines, action)) {
        overview->choice = lines.at;
    } else if (action == ACTION_OPEN && overview->choice != COLUMN_ELECTION) {
        overview->left_out[overview->choice] = !overview->left_out[overview->choice];
        overview->turned = true;
    } else if (action == ACTION_BACK || action == ACTION_COLUMNS) {
        overview->chooses = false;
    }
    return VIEW_DONE;
}

bool overview_view_take_choice(struct view *view, char *buffer, size_t size)
{
    struct overview *overview = (struct overview *)view;
    size_t used = 0;

    if (!overview->turned)
        return false;
    overview->turned = false;
    buffer[0] = '\0';
    for (int i = 0; i < COLUMN_COUNT && used < size; i++)
        if (!overview->left_out[i])
            used += (size_t)snprintf(buffer + used, size - used, "%s%s", used > 0 ? "," : "",
                                     option_column_words[i]);
    return used < size;
}

/* The least columns, and lines of the pane, for the election beside the events. */
#define BESIDE_COLUMNS 180
#define BESIDE_LINES 12

/* The events, and the selected election beside them where there is room. */
static void draw_pane(const struct overview *overview, struct cells *cells, int y, int rows,
                      const struct scene *scene)
{
    const struct overview_row *row = overview_order_row(&overview->order, overview->list.at);
    const struct election *election = row != NULL ? row->election : NULL;
    struct cells *left, *right;
    int width = cells->width / 2, used = 1, findings;

    if (election == NULL || cells->width < BESIDE_COLUMNS || rows < BESIDE_LINES) {
        event_pane_draw(cells, y, rows, scene, NULL, NULL);
        return;
    }
    left = cells_part(cells, width - 1, rows);
    right = cells_part(cells, cells->width - width, rows);
    if (left != NULL)
        event_pane_draw(left, 0, rows, scene, NULL, NULL);
    if (right != NULL) {
        cells_rule(right, 0, 0, -1, election->name);
        findings = finding_pane_rows(right, election, NULL);
        used += election_head_draw(right, used, rows - used, rows - used - ELECTION_HEAD_ROWS - findings,
                                   scene, election);
        findings = findings < rows - used ? findings : rows - used;
        findings = finding_pane_grow(right, election, NULL, findings, rows - used - findings);
        finding_pane_draw(right, used, findings, scene->now, election, NULL);
    }
    cells_paste(cells, 0, y, left);
    cells_paste(cells, width, y, right);
}

static void overview_draw(struct view *view, const struct scene *scene, struct cells *cells)
{
    struct overview *overview = (struct overview *)view;
    const struct overview_totals *totals = &overview->order.totals;
    int airy = cells->height >= 18; /* room for blank lines */
    int y = airy, pane = 0, rows, bottom, summary_y = y;
    size_t shown;

    make_order(overview, scene);
    strip_zoom_follow(&overview->zoom, totals->known_us);
    if (!overview->chosen)
        list_home(&overview->list);
    if (totals->elections > 0) { /* else the problem replaces the table */
        y += overview_summary_rows(airy);
        y += cluster_lines_draw(cells, 1, y, cells->height / 4, scene, NULL);
    }
    y += totals->elections == 0 ? airy : cells->height >= ROOMY;
    bottom = cells->height - (cells->height >= ROOMY);
    rows = bottom - y - 1;
    if (cells->height >= 12) { /* the pane gets the rest of the table's room, and at least a quarter */
        int wanted = overview->order.count < 6
                         ? 7
                         : (int)(overview->order.count < 500 ? overview->order.count : 500) + 1;

        pane = rows - wanted - 1;
        if (pane < cells->height / 4)
            pane = cells->height / 4;
        rows -= pane;
    }
    overview->first_y = y + 1;
    overview_follow_model(overview, scene, rows > 0 ? (size_t)rows : 0);
    if (totals->elections > 0) /* how many are below is known now */
        overview_summary_draw(cells, summary_y, &overview->order, &overview->list, airy);
    if (overview->order.count == 0) {
        draw_nothing(overview, cells, y, rows, scene);
    } else {
        lay_names(overview, cells, scene);
        draw_heads(overview, cells, y);
        shown = overview->order.count - overview->list.top;
        if (shown > overview->list.rows)
            shown = overview->list.rows;
        for (size_t i = 0; i < shown; i++) {
            int row = overview->first_y + (int)i;

            const struct overview_row *line = overview_order_row(&overview->order, overview->list.top + i);

            if (line->election == NULL)
                draw_group(overview, cells, row, line);
            else
                overview_draw_row(overview, cells, row, scene, line);
            if (overview->list.top + i == overview->list.at)
                list_mark_row(cells, row, cells->width);
        }
    }
    if (pane > 0)
        draw_pane(overview, cells, bottom - pane, pane, scene);
    if (overview->chooses)
        draw_chooser(overview, cells, overview->first_y);
}

static enum view_result overview_open_selected(struct overview *overview, struct view **next)
{
    const struct election *election = overview_order_at(&overview->order, overview->list.at);

    if (election == NULL)
        return VIEW_IGNORED;
    *next = election_view_new(election->cluster->name, election->path);
    election_view_find(*next, election, overview->order.filter);
    return VIEW_OPEN;
}

/* Other rows, or another order of them: the old one is not needed for that. False: it is another action. */
static bool overview_arranges(struct overview *overview, enum action action)
{
    struct overview_order *order = &overview->order;

    switch (action) {
    case ACTION_SORT:
        order->sort = (order->sort + 1) % SORT_COUNT;
        order->reverse = false;
        break;
    case ACTION_CHANGES:
        order->sort = order->sort == SORT_CHANGES ? SORT_WORST : SORT_CHANGES;
        order->reverse = false;
        if (!overview->chosen || order->sort == SORT_CHANGES)
            list_home(&overview->list);
        break;
    case ACTION_PROBLEMS:
        order->problems = !order->problems;
        break;
    case ACTION_REVERSE:
        order->reverse = !order->reverse;
        break;
    default:
        return false;
    }
    order->dirty = true;
    return true;
}

static enum view_result overview_action(struct view *view, const struct scene *scene, enum action action,
                                        struct view **next)
{
    struct overview *overview = (struct overview *)view;
    struct overview_order *order = &overview->order;

    if (overview->chooses && (ACTION_BIT(action) & CHOOSER_KEYS) != 0)
        return choose_column(overview, action);
    if (overview_arranges(overview, action))
        return VIEW_DONE;
    overview_follow_model(overview, scene, overview->list.rows);
    if (list_move(&overview->list, action)) {
        overview->chosen = true;
        skip_heading(overview, action == ACTION_DOWN || action == ACTION_PAGE_DOWN ||
                                   action == ACTION_HALF_DOWN || action == ACTION_FIRST);
        list_select_line(&overview->list, overview_key_of, order);
        return VIEW_DONE;
    }
    const struct election *election = overview_order_at(order, overview->list.at);
    switch (action) {
    case ACTION_OPEN:
        return overview_open_selected(overview, next);
    case ACTION_HISTORY:
        return view_open(next,
                         election == NULL ? NULL : history_view_new(election->cluster->name, election->path));
    case ACTION_EXPLAIN:
        return view_open(next, election == NULL || election->finding_count == 0
                                   ? NULL
                                   : explanations_view_new(election->findings[0]));
    case ACTION_NEXT_MATCH:
    case ACTION_PREVIOUS_MATCH:
        overview->chosen = true;
        list_walk(&overview->list, action == ACTION_NEXT_MATCH);
        skip_heading(overview, action == ACTION_NEXT_MATCH);
        list_select_line(&overview->list, overview_key_of, order);
        return VIEW_DONE;
    case ACTION_COLUMNS:
        overview->chooses = true;
        return VIEW_DONE;
    case ACTION_LEFT:
        strip_zoom_turn(&overview->zoom, false);
        return VIEW_DONE;
    case ACTION_RIGHT:
        strip_zoom_turn(&overview->zoom, true);
        return VIEW_DONE;
    default:
        return VIEW_IGNORED;
    }
}

/* By the column whose heading was clicked; once more turns its order round. False: it is none of these. */
static bool sort_by_heading(struct overview *overview, int x)
{
    struct overview_order *order = &overview->order;

    for (int sort = 0; sort < SORT_COUNT; sort++) {
        const struct column *column = &overview->columns[column_sorted_by[sort]];

        if (x < column->x || x >= column->x + column->width)
            continue;
        order->reverse = (int)order->sort == sort && !order->reverse;
        order->sort = (enum overview_sort)sort;
        order->dirty = true;
        return true;
    }
    return false;
}

static enum view_result overview_click(struct view *view, const struct scene *scene, int x, int y, bool twice,
                                       struct view **next)
{
    struct overview *overview = (struct overview *)view;

    overview_follow_model(overview, scene, overview->list.rows);
    if (y == overview->first_y - 1 && overview->list.count > 0)
        return sort_by_heading(overview, x) ? VIEW_DONE : VIEW_IGNORED;
    if (!list_click(&overview->list, overview->first_y, y, twice, overview_key_of, &overview->order))
        return VIEW_IGNORED;
    overview->chosen = true;
    return twice ? overview_open_selected(overview, next) : VIEW_DONE;
}

static const char *overview_path(struct view *view, const struct scene *scene, char *buffer, size_t size)
{
    struct overview *overview = (struct overview *)view;
    const struct election *election;

    overview_follow_model(overview, scene, overview->list.rows);
    election = overview_order_at(&overview->order, overview->list.at);
    if (election == NULL)
        return NULL;
    return snprintf(buffer, size, "%s", election->path) < (int)size ? election->cluster->name : NULL;
}

static const struct finding *overview_finding(struct view *view, const struct scene *scene,
                                              const struct election **election)
{
    struct overview *overview = (struct overview *)view;
    const struct finding *worst;

    overview_follow_model(overview, scene, overview->list.rows);
    *election = overview_order_at(&overview->order, overview->list.at);
    if (*election == NULL || (*election)->finding_count == 0)
        return NULL;
    worst = mutes_worst(*election, scene->now);
    return worst != NULL ? worst : (*election)->findings[0];
}

void overview_view_select(struct view *view, const struct election *election)
{
    struct overview *overview = (struct overview *)view;
    char key[KEY_BYTES];

    overview_key(election, key, sizeof key);
    list_select(&overview->list, key);
    overview->version = overview->order.version - 1; /* its line is looked for at the next draw */
    overview->chosen = true;
}

static void overview_filter(struct view *view, const char *text)
{
    struct overview *overview = (struct overview *)view;
    struct overview_order *order = &overview->order;

    overview->chooses = false;
    overview->chosen |= text[0] != '\0'; /* what a filter has found stays selected after it */
    snprintf(order->filter, sizeof order->filter, "%s", text);
    order->dirty = true;
}

/* Of one that another view has opened. */
static void overview_title(struct view *view, const struct scene *scene, struct cells *cells, int x, int room)
{
    const char *filter = ((const struct overview *)view)->order.filter;

    (void)scene;
    if (strncmp(filter, "client:", 7) == 0)
        cells_printf(cells, x, 0, room, ROLE_TITLE, "elections of host %s", filter + 7);
    else
        cells_printf(cells, x, 0, room, ROLE_TITLE, "%s%s", *filter ? "elections with " : "all elections",
                     filter);
}

static void overview_release(struct view *view)
{
    struct overview *overview = (struct overview *)view;

    list_release(&overview->list);
    names_free(&overview->elections);
    names_free(&overview->leaders);
    names_free(&overview->clusters);
    overview_order_release(&overview->order);
}

static const struct view_ops ops = {
    .name = "overview",
    .draw = overview_draw,
    .action = overview_action,
    .click = overview_click,
    .title = overview_title,
    .path = overview_path,
    .finding = overview_finding,
    .filter = overview_filter,
    .release = overview_release,
    .list = offsetof(struct overview, list),
    .answers = VIEW_MOVES | ACTION_BIT(ACTION_OPEN) | ACTION_BIT(ACTION_HISTORY) | ACTION_BIT(ACTION_SORT) |
               ACTION_BIT(ACTION_COLUMNS) | ACTION_BIT(ACTION_REVERSE) | ACTION_BIT(ACTION_PROBLEMS) |
               ACTION_BIT(ACTION_CHANGES) | ACTION_BIT(ACTION_LEFT) | ACTION_BIT(ACTION_RIGHT),
    /* What 80 columns lack room for follows where there is more. */
    .first = ACTION_BIT(ACTION_BACK) | ACTION_BIT(ACTION_OPEN) | ACTION_BIT(ACTION_FILTER) |
             ACTION_BIT(ACTION_JUMP) | ACTION_BIT(ACTION_FINDINGS) | ACTION_BIT(ACTION_EVENTS) |
             ACTION_BIT(ACTION_EVENT_BACK) | ACTION_BIT(ACTION_INJECT),
};

struct view *overview_view_filtered(const char *filter)
{
    struct view *view = overview_view_new();

    overview_filter(view, filter);
    return view;
}

const char *overview_view_filter(const struct view *view)
{
    return view->ops == &ops ? ((const struct overview *)view)->order.filter : NULL;
}

void overview_view_arrange_as(struct view *view, const struct view *first)
{
    struct overview *overview = (struct overview *)view;
    const struct overview *as = (const struct overview *)first;

    overview->order.sort = as->order.sort;
    overview->order.reverse = as->order.reverse;
    overview->order.dirty = true;
    memcpy(overview->left_out, as->left_out, sizeof overview->left_out);
    overview->named = as->named;
}

void overview_view_arrange(struct view *view, const char *sort, const char *columns)
{
    struct overview *overview = (struct overview *)view;

    for (int i = 0; sort != NULL && i < SORT_COUNT; i++)
        if (strcmp(sort, option_sort_words[i]) == 0)
            overview->order.sort = (enum overview_sort)i;
    overview->named = columns != NULL;
    for (int i = 0; columns != NULL && i < COLUMN_COUNT; i++)
        overview->left_out[i] = i != COLUMN_ELECTION; /* without it a line says nothing */
    for (const char *at = columns; at != NULL && *at != '\0';
         at += strcspn(at, ",") + (strchr(at, ',') != NULL))
        for (int i = 0; i < COLUMN_COUNT; i++)
            if (strlen(option_column_words[i]) == strcspn(at, ",") &&
                strncmp(option_column_words[i], at, strcspn(at, ",")) == 0)
                overview->left_out[i] = false;
    overview->order.dirty = true;
}

struct view *overview_view_new(void)
{
    return view_new(&ops, sizeof(struct overview), NULL, NULL);
}
