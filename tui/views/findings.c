#define _GNU_SOURCE /* qsort_r() */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/election/certainty.h"
#include "config/znode_path.h"
#include "probe/election/dangers.h"
#include "tui/screen/columns.h"
#include "tui/views/event_lines.h"
#include "tui/views/list.h"
#include "tui/views/screens.h"
#include "tui/words/election_filter.h"
#include "tui/words/finding_lines.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"
#include "tui/words/mutes.h"
#include "tui/words/names.h"

#define SIGN_X 2
#define TABLE_X 4
#define BESIDE 180 /* with at least this many columns the selected finding is beside the list */
#define DETAIL_LEAST 60
#define DETAIL_MOST 90
#define ROOMY 24 /* rows of a detail that also explains */

#define ABOUT_MOST 60
#define NUMBERED_MOST 36 /* columns of a name whose number says as much */

enum { COLUMN_CODE, COLUMN_ELECTION, COLUMN_ABOUT, COLUMN_SURE, COLUMN_SINCE, COLUMN_EVIDENCE, COLUMN_COUNT };

static const struct column columns_of_findings[COLUMN_COUNT] = {
    [COLUMN_CODE] = {.heading = "FINDING", .least = 14, .most = 26, .importance = 100},
    [COLUMN_ELECTION] = {.heading = "ELECTION", .least = 14, .most = 80, .importance = 95},
    [COLUMN_ABOUT] = {.heading = "CANDIDATE", .least = 12, .most = ABOUT_MOST, .importance = 90},
    [COLUMN_SURE] = {.heading = "CERTAINTY", .least = 11, .most = 22, .importance = 70},
    [COLUMN_SINCE] = {.heading = "SINCE", .least = 6, .most = 7, .importance = 80},
    [COLUMN_EVIDENCE] = {.heading = "EVIDENCE", .least = 24, .most = 200, .importance = 50, .optional = true},
};

/* The same finding in this many elections is one line. */
#define GROUP_LEAST 3

enum findings_sort { SORT_WORST, SORT_NEWEST, SORT_ELECTION, SORT_CODE, SORT_COUNT };

static const struct {
    const char *word, *reversed;
    int column;
} sorts[SORT_COUNT] = {
    [SORT_WORST] = {"worst first", "worst last", COLUMN_CODE},
    [SORT_NEWEST] = {"newest first", "oldest first", COLUMN_SINCE},
    [SORT_ELECTION] = {"by election", "by election, descending", COLUMN_ELECTION},
    [SORT_CODE] = {"by finding", "by finding, descending", COLUMN_CODE},
};

struct finding_row {
    const struct election *election;
    const struct finding *finding;
    const struct mute *mute;
    size_t index;     /* decides between equals */
    size_t folded;    /* the number of findings of its code that it represents, with itself; 0: only itself */
    size_t elections; /* ... in so many elections */
};

/* Everything that is wrong, over all elections, the worst first. */
struct findings_view {
    struct view view;
    struct list list;
    char filter[128];
    struct finding_row *rows; /* those that pass, made anew at each call: they hold until the model changes */
    enum findings_sort sort;
    bool reverse;
    bool unfolded[FINDING_COUNT];
    size_t count, room;
    struct finding_counts counts; /* of all */
    size_t total;
    struct column columns[COLUMN_COUNT];
    struct names elections, candidates; /* of the lines that are shown */
    int first_y, list_width;
};

static bool finding_has(const void *thing, const char *text)
{
    const struct finding_row *row = thing;
    const struct finding *finding = row->finding;

    if (label_match(finding_kind(finding->code)->word, text) || label_match(row->election->name, text) ||
        label_match(row->election->path, text) || label_match(row->election->cluster->name, text) ||
        label_match(finding->evidence, text) || label_match(severity_word(finding->severity), text) ||
        label_match(certainty_word(finding->certainty), text))
        return true;
    for (size_t i = 0; i < finding->candidate_count; i++)
        if (label_match(finding->candidates[i], text))
            return true;
    return false;
}

/* Muted findings come last. */
static int compare_worst(const struct finding_row *x, const struct finding_row *y)
{
    const struct finding *f = x->finding, *g = y->finding;

    if ((x->mute != NULL) != (y->mute != NULL))
        return x->mute != NULL ? 1 : -1;
    if (f->severity != g->severity)
        return f->severity > g->severity ? -1 : 1;
    if (f->certainty != g->certainty)
        return f->certainty > g->certainty ? -1 : 1;
    return 0;
}

static int compare_findings(enum findings_sort sort, const struct finding_row *x, const struct finding_row *y)
{
    const struct finding *f = x->finding, *g = y->finding;

    switch (sort) {
    case SORT_NEWEST:
        return (f->since.mono_us < g->since.mono_us) - (f->since.mono_us > g->since.mono_us);
    case SORT_ELECTION:
        return znode_path_compare(x->election->name, y->election->name);
    case SORT_CODE:
        return strcmp(finding_kind(f->code)->word, finding_kind(g->code)->word);
    case SORT_WORST:
    case SORT_COUNT:
        break;
    }
    return 0;
}

static int findings_by_sort(const void *a, const void *b, void *sort)
{
    const struct finding_row *x = a, *y = b;
    int order = compare_findings(*(const enum findings_sort *)sort, x, y);

    if (order == 0)
        order = compare_worst(x, y);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static bool same_group(const struct finding_row *x, const struct finding_row *y)
{
    return x->finding->code == y->finding->code && compare_worst(x, y) == 0;
}

static void findings_reverse(struct findings_view *view)
{
    for (size_t i = 0; i < view->count / 2; i++) {
        struct finding_row row = view->rows[i];

        view->rows[i] = view->rows[view->count - 1 - i];
        view->rows[view->count - 1 - i] = row;
    }
}

static void findings_add_row(struct findings_view *view, struct finding_row row)
{
    room_for_one(&view->rows, view->count, &view->room, sizeof *view->rows);
    view->rows[view->count++] = row;
}

/* The first finding of each code that occurs in many elections represents all of them; below it they are only
   where it is unfolded. Rows of the same weight are grouped. */
static void findings_fold(struct findings_view *view)
{
    size_t all = view->count;
    if (all == 0)
        return;
    struct finding_row *rows = xmemdup(view->rows, all * sizeof *rows);
    bool *taken = xcalloc(all, sizeof *taken);

    view->count = 0;
    for (size_t i = 0; i < all; i++) {
        struct finding_row head = rows[i];
        const struct election *last = NULL;

        if (taken[i])
            continue;
        for (size_t j = i; j < all && compare_worst(&rows[i], &rows[j]) == 0; j++)
            if (same_group(&rows[i], &rows[j])) {
                head.folded++;
                head.elections += rows[j].election != last;
                last = rows[j].election;
            }
        if (head.elections < GROUP_LEAST) {
            findings_add_row(view, rows[i]);
            continue;
        }
        findings_add_row(view, head);
        for (size_t j = i; j < all && compare_worst(&rows[i], &rows[j]) == 0; j++)
            if (!taken[j] && same_group(&rows[i], &rows[j])) {
                taken[j] = true;
                if (view->unfolded[rows[i].finding->code])
                    findings_add_row(view, rows[j]);
            }
    }
    free(rows);
    free(taken);
}

static void findings_gather(struct findings_view *view, const struct scene *scene)
{
    view->count = view->total = 0;
    view->counts = (struct finding_counts){0};
    for (size_t i = 0; i < scene->model->cluster_count; i++) {
        const struct cluster *cluster = &scene->model->clusters[i];

        for (size_t j = 0; j < cluster->election_count; j++) {
            const struct election *election = cluster->elections[j];

            finding_counts_add(&view->counts, election, scene->now);
            for (size_t k = 0; k < election->finding_count; k++) {
                struct finding_row row = {
                    .election = election,
                    .finding = election->findings[k],
                    .mute = mutes_of(election, election->findings[k], scene->now),
                    .index = view->total++,
                };

                if (election_filter_match_text(view->filter, election, scene->now, finding_has, &row))
                    findings_add_row(view, row);
            }
        }
    }
    if (view->count > 1)
        qsort_r(view->rows, view->count, sizeof *view->rows, findings_by_sort, &view->sort);
    if (view->reverse)
        findings_reverse(view);
    if (view->sort == SORT_WORST)
        findings_fold(view);
}

/* What a selection keeps of a finding: where, what, and which of that kind. So it stays on one that is muted,
   which moves to the end: the next key is about the same finding. */
static bool findings_key_of(const void *context, size_t line, char key[LIST_KEY_BYTES])
{
    const struct findings_view *view = context;

    if (line >= view->count)
        return false;
    const struct finding_row *row = &view->rows[line];
    const struct finding *finding = row->finding;

    if (row->folded > 0)
        snprintf(key, LIST_KEY_BYTES, "%s %d%s", finding_kind(finding->code)->word, (int)finding->severity,
                 row->mute != NULL ? " muted" : "");
    else
        snprintf(key, LIST_KEY_BYTES, "%" PRIx64 "\n%s\n%s\n%s", finding->subject,
                 finding_kind(finding->code)->word, row->election->cluster->name, row->election->path);
    return true;
}

static const struct finding_row *selected(const struct findings_view *view)
{
    return view->list.at < view->count ? &view->rows[view->list.at] : NULL;
}

/* Brings rows and selection up to date with the model; the selected line is then at list.at. */
static void findings_follow_model(struct findings_view *view, const struct scene *scene, size_t rows)
{
    findings_gather(view, scene);
    list_begin(&view->list, view->count, rows);
    list_follow(&view->list, view->filter[0] != '\0', findings_key_of, view);
}

/* How many candidates it has besides the first: " +3"; "": none. */
static char *more_candidates(const struct finding *finding, char text[24])
{
    text[0] = '\0';
    if (finding->candidate_count > 1)
        snprintf(text, 24, " +%zu", finding->candidate_count - 1);
    return text;
}

/* The election, with its cluster where there are several. */
static const char *where_text(const struct scene *scene, const struct election *election, char *buffer,
                              size_t size)
{
    if (scene->model->cluster_count < 2)
        return election->name;
    snprintf(buffer, size, "%s %s", election->cluster->name, election->name);
    return buffer;
}

static void put_about(const struct findings_view *view, struct cells *cells, int y, style look,
                      const struct finding *finding)
{
    const struct column *column = &view->columns[COLUMN_ABOUT];
    char more[24];

    if (finding->candidate_count == 0) {
        columns_put(cells, column, y, look, cells_sign(cells, SIGN_DASH));
        return;
    }
    int used = names_put(cells, &view->candidates, column, y, look, finding->candidates[0]);
    cells_put(cells, column->x + used, y, label_room(used, column->width), look,
              more_candidates(finding, more));
}

/* A line for many: how often, and that Enter shows them. */
static void draw_folded(const struct findings_view *view, struct cells *cells, int y,
                        const struct finding_row *row)
{
    const struct column *column = &view->columns[COLUMN_ELECTION];
    int room = cells->width - column->x - 1, used;
    bool open = view->unfolded[row->finding->code];

    used = cells_printf(cells, column->x, y, room, row->mute != NULL ? ROLE_DIM : ROLE_STRONG,
                        "in %zu elections", row->elections);
    if (row->folded > row->elections)
        used += cells_printf(cells, column->x + used, y, label_room(column->x + used, cells->width - 1),
                             ROLE_TEXT, ", %s%zu", cells_sign(cells, SIGN_TIMES), row->folded);
    cells_printf(cells, column->x + used + 2, y, label_room(column->x + used + 2, cells->width - 1), ROLE_DIM,
                 "%s, %s   %s %s", severity_word(row->finding->severity),
                 row->mute != NULL ? "muted" : certainty_word(row->finding->certainty),
                 cells_sign(cells, SIGN_ENTER), open ? "hides them" : "shows them");
}

static void findings_draw_row(const struct findings_view *view, struct cells *cells, int y,
                              const struct scene *scene, const struct finding_row *row)
{
    const struct column *columns = view->columns;
    const struct finding *finding = row->finding;
    bool note = finding->severity == SEVERITY_INFO || row->mute != NULL;
    style look = row->mute != NULL ? (style)ROLE_DIM : severity_look(finding->severity);
    char text[1200];

    cells_put(cells, SIGN_X, y, 1, look, cells_sign(cells, severity_sign(finding->severity)));
    columns_put(cells, &columns[COLUMN_CODE], y, look, finding_kind(finding->code)->word);
    if (row->folded > 0) {
        draw_folded(view, cells, y, row);
        return;
    }
    names_put(cells, &view->elections, &columns[COLUMN_ELECTION], y, note ? ROLE_DIM : ROLE_TEXT,
              where_text(scene, row->election, text, sizeof text));
    put_about(view, cells, y, note ? ROLE_DIM : ROLE_TEXT, finding);
    columns_put(cells, &columns[COLUMN_SURE], y,
                row->mute != NULL                                  ? (style)ROLE_DIM
                : finding->unconfirmed_since.mono_us != 0          ? (style)ROLE_WARNING
                : finding->certainty == CERTAINTY_CERTAIN && !note ? (style)ROLE_TEXT
                                                                   : (style)ROLE_DIM,
                row->mute != NULL ? "muted"
                : columns[COLUMN_SURE].width < 20 && finding->unconfirmed_since.mono_us != 0
                    ? "unconfirmed"
                    : finding_certainty(finding, scene->now, text, sizeof text));
    columns_put(cells, &columns[COLUMN_SINCE], y, note ? ROLE_DIM : ROLE_TEXT,
                format_age(label_age_us(finding->since, scene->now), text, sizeof text));
    char evidence[FINDING_EVIDENCE];
    columns_put(cells, &columns[COLUMN_EVIDENCE], y, ROLE_DIM,
                finding_evidence(finding, evidence, sizeof evidence));
}

/* The columns that the list may have: beside it is the detail. */
static int list_room(const struct cells *cells)
{
    return cells->width >= BESIDE ? cells->width - DETAIL_LEAST - 2 : cells->width;
}

/* Whether a line above says the same of another candidate, which therefore cannot be left out. */
static bool differs_in_candidate(const struct findings_view *view, size_t row)
{
    for (size_t i = view->list.top; i < row; i++)
        if (view->rows[i].election == view->rows[row].election &&
            view->rows[i].finding->code == view->rows[row].finding->code)
            return true;
    return false;
}

static void findings_lay_columns(struct findings_view *view, const struct cells *cells,
                                 const struct scene *scene)
{
    struct column *columns = view->columns;
    int wide = cells->width >= 110;
    int more = 0;
    char text[1200]; /* names are compared before they are cut */

    memcpy(columns, columns_of_findings, sizeof columns_of_findings);
    names_free(&view->elections);
    names_free(&view->candidates);
    view->candidates.candidates = view->candidates.own_elections = true;
    for (size_t i = view->list.top; i < view->list.top + view->list.rows && i < view->count; i++) {
        const struct finding *finding = view->rows[i].finding;
        const struct election *election = view->rows[i].election;

        if (differs_in_candidate(view, i)) {
            columns[COLUMN_ELECTION].least = 8;
            columns[COLUMN_ABOUT].least = 6;
            columns[COLUMN_ABOUT].importance = 96;
        }
        columns_want(&columns[COLUMN_CODE], (int)strlen(finding_kind(finding->code)->word));
        columns_want(&columns[COLUMN_ELECTION],
                     cells_width(cells, where_text(scene, election, text, sizeof text)));
        names_add(&view->elections, where_text(scene, election, text, sizeof text));
        if (finding->candidate_count > 0) {
            int besides = (int)strlen(more_candidates(finding, text));

            more = besides > more ? besides : more;
            names_add(&view->candidates, finding->candidates[0]);
            name_fit_candidate(cells, finding->candidates[0], NUMBERED_MOST, text, sizeof text);
            if (recipe_sequence_of(finding->candidates[0]) == SEQUENCE_NONE)
                snprintf(text, sizeof text, "%s", finding->candidates[0]);
            columns_want(&columns[COLUMN_ABOUT], cells_width(cells, text) + besides);
        }
        columns_want(&columns[COLUMN_SURE],
                     (int)strlen(finding_certainty(finding, scene->now, text, sizeof text)));
        if (finding->evidence != NULL)
            columns_want(&columns[COLUMN_EVIDENCE], cells_width(cells, finding->evidence));
    }
    columns[COLUMN_EVIDENCE].hidden = cells->width >= BESIDE; /* it is in the detail, in full */
    int room = list_room(cells) - TABLE_X - wide;
    int spare = columns_lay(columns, COLUMN_COUNT, TABLE_X, room, wide ? 2 : 1);
    view->list_width = cells->width;
    if (cells->width >= BESIDE) /* the detail has the rest */
        view->list_width -=
            DETAIL_LEAST + 2 + (spare < DETAIL_MOST - DETAIL_LEAST ? spare : DETAIL_MOST - DETAIL_LEAST);
    if (scene->model->cluster_count < 2)
        view->elections.among = scene->model;
    if (columns[COLUMN_ABOUT].width < (int)strlen(columns_of_findings[COLUMN_ABOUT].heading))
        columns[COLUMN_ABOUT].heading = "CAND";
    names_fit_column(&view->elections, cells, &columns[COLUMN_ELECTION], 0);
    names_fit_column(&view->candidates, cells, &columns[COLUMN_ABOUT], more);
}

/* Who muted it, until when and why. */
static int draw_mute(struct cells *cells, int x, int y, int width, int rows, const struct finding_row *row,
                     const struct scene *scene)
{
    char text[512], until[32];

    if (row->mute == NULL || rows < 1)
        return 0;
    label_moment(row->mute->until_us, scene->now, until, sizeof until);
    snprintf(text, sizeof text, "muted until %s by %.60s%s%.300s; m 0 unmutes it", until, row->mute->author,
             row->mute->note[0] != '\0' ? ": " : "", row->mute->note);
    return columns_wrap_put(cells, x, y, width, rows, ROLE_WARNING, text);
}

/* The responsible team and the runbook, as configured. */
static int findings_draw_responsible(struct cells *cells, int x, int y, int width, int rows,
                                     const struct finding_row *row, const struct scene *scene)
{
    char text[2300];

    if (rows < 1 || !label_responsible(scene->settings, row->election, text, sizeof text))
        return 0;
    return columns_wrap_put(cells, x, y, width, rows, ROLE_TEXT, text);
}

/* The selected finding in full: evidence, advice, since when, and the meaning of its code. */
static void findings_draw_detail(const struct findings_view *view, struct cells *cells, int y, int rows,
                                 const struct scene *scene)
{
    const struct finding_row *row = selected(view);
    const struct finding *finding;
    const struct finding_kind *kind;
    int end = y + rows, x = SIGN_X, width = cells->width - SIGN_X - 2, at;
    bool roomy = rows >= ROOMY;
    int64_t possible_us;
    char caption[96], when[32], age[16];

    if (row == NULL || rows < 2)
        return;
    finding = row->finding;
    kind = finding_kind(finding->code);
    snprintf(caption, sizeof caption, "%s: %s, %s", kind->word, severity_word(finding->severity),
             certainty_word(finding->certainty));
    cells_rule(cells, 0, y++, cells->width, caption);
    char evidence[FINDING_EVIDENCE];
    if (finding->evidence != NULL)
        y += columns_wrap_put(cells, x, y, width, end - y, ROLE_TEXT,
                              finding_evidence(finding, evidence, sizeof evidence));
    if (finding->advice != NULL)
        y += roomy +
             columns_wrap_put(cells, x, y + roomy, width, end - y - roomy, ROLE_ACCENT, finding->advice);
    y += draw_mute(cells, x, y, width, end - y, row, scene);
    y += findings_draw_responsible(cells, x, y, width, end - y, row, scene);
    if (y >= end)
        return;
    at = x + cells_printf(cells, x, y, width, ROLE_DIM, "seen since %s, for %s",
                          label_moment(finding->since.wall_us, scene->now, when, sizeof when),
                          format_age(label_age_us(finding->since, scene->now), age, sizeof age));
    possible_us = certainty_possible_since_us(row->election, finding);
    if (possible_us != 0 && possible_us < finding->since.wall_us && at < cells->width)
        at += cells_printf(cells, at, y, cells->width - at, ROLE_DIM, "; possible since %s",
                           label_moment(possible_us, scene->now, when, sizeof when));
    if (finding->unconfirmed_since.mono_us != 0) {
        char text[128];

        snprintf(text, sizeof text, "; unconfirmed since %s: its evidence cannot be seen now",
                 label_moment(finding->unconfirmed_since.wall_us, scene->now, when, sizeof when));
        if (at + cells_width(cells, text) <= cells->width)
            cells_put(cells, at, y, -1, ROLE_WARNING, text);
        else if (++y < end)
            y += columns_wrap_put(cells, x, y, width, end - y, ROLE_WARNING, text + 2) - 1;
    }
    y++;
    if (!roomy) {
        columns_wrap_put(cells, x, y, width, end - y, ROLE_DIM, kind->meaning);
        return;
    }
    const struct {
        const char *heading, *text;
    } parts[] = {
        {"WHAT IT MEANS", kind->meaning},
        {"HOW IT LOOKS IN ZOOKEEPER", kind->looks},
        {finding->certainty == CERTAINTY_CERTAIN ? "IN GENERAL" : "ONCE IT IS CERTAIN", kind->advice}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts && end - y > 2; i++) {
        /* Of a mere note nothing is to be done that its own advice does not say. */
        bool note = finding->severity == SEVERITY_INFO && kind->severity != SEVERITY_INFO;
        if (finding->advice != NULL &&
            (strcmp(parts[i].text, finding->advice) == 0 || (note && parts[i].text == kind->advice)))
            continue;
        cells_put(cells, x, ++y, width, ROLE_HEADING, parts[i].heading);
        y++;
        y += columns_wrap_put(cells, x, y, width, end - y, ROLE_DIM, parts[i].text);
    }
    if (end - y > 4)
        event_pane_draw(cells, y + 1, end - y - 1, scene, row->election->cluster->name, row->election->path);
}

static bool all_connected(const struct scene *scene)
{
    for (size_t i = 0; i < scene->model->cluster_count; i++)
        if (scene->model->clusters[i].connection != CONNECTION_CONNECTED)
            return false;
    return true;
}

static void findings_draw_head(const struct findings_view *view, struct cells *cells, int y,
                               const struct scene *scene)
{
    int x = 1, width;
    char text[192];

    x += finding_counts_put(cells, x, y, 0, &view->counts, all_connected(scene)) + 3;
    if (view->filter[0] != '\0')
        snprintf(text, sizeof text, "%zu of %zu with \"%s\"", view->count, view->total, view->filter);
    else
        snprintf(text, sizeof text, "%s",
                 view->reverse ? sorts[view->sort].reversed : sorts[view->sort].word);
    width = cells_width(cells, text);
    if (x + width < cells->width)
        cells_put_right(cells, cells->width - 1, y, width, view->filter[0] != '\0' ? ROLE_ACCENT : ROLE_DIM,
                        text);
}

static void draw_none(const struct findings_view *view, struct cells *cells, int y, const struct scene *scene)
{
    size_t hidden = 0, servers = 0;

    if (view->filter[0] != '\0') {
        columns_wrap_printf(cells, SIGN_X, y, ROLE_DIM, "No finding contains this text. %s shows all again.",
                            key_first(ACTION_BACK));
        return;
    }
    if (all_connected(scene))
        cells_printf(cells, SIGN_X, y, -1, ROLE_GOOD, "%s No findings.", cells_sign(cells, SIGN_OK));
    else
        cells_printf(cells, SIGN_X, y, -1, ROLE_WARNING, "%s Not connected: no finding is known.",
                     cells_sign(cells, SIGN_UNKNOWN));
    for (size_t i = 0; i < scene->model->cluster_count; i++) {
        servers += scene->model->clusters[i].server_count;
        for (size_t j = 0; j < scene->model->clusters[i].server_count; j++)
            hidden += scene->model->clusters[i].servers[j].watches_from == NULL;
    }
    if (hidden > 0)
        cells_printf(cells, SIGN_X, y + 1, -1, ROLE_WARNING,
                     "%s %zu of %zu servers do not show their watches: %s shows why, and what to turn on.",
                     cells_sign(cells, SIGN_UNKNOWN), hidden, servers, key_first(ACTION_ENSEMBLE));
    cells_printf(cells, SIGN_X, y + 3, -1, ROLE_DIM, "%s lists all possible findings.",
                 key_first(ACTION_EXPLAIN));
}

/* Servers that endanger elections come before findings of one election. Returns the rows used. */
static int draw_servers(struct cells *cells, int y, int rows, const struct scene *scene)
{
    struct server_danger dangers[SERVER_DANGERS_MOST];
    int used = 0;

    for (size_t i = 0; i < scene->model->cluster_count; i++)
        for (size_t j = 0; j < scene->model->clusters[i].server_count; j++) {
            const struct server *server = &scene->model->clusters[i].servers[j];
            size_t count = server_dangers(&scene->model->clusters[i], server, dangers);

            for (size_t k = 0; k < count && used < rows; k++) {
                style look = severity_look(dangers[k].severity);
                int x = TABLE_X;

                if (dangers[k].severity == SEVERITY_INFO)
                    continue; /* the overview and the ensemble view list hidden facts */
                cells_put(cells, SIGN_X, y + used, 1, look,
                          cells_sign(cells, severity_sign(dangers[k].severity)));
                x += cells_put(cells, x, y + used, 26, look, dangers[k].code) + 2;
                x += name_put(cells, x, y + used, 30, ROLE_STRONG, server->address) + 2;
                cells_put(cells, x, y + used++, label_room(x, cells->width - 1), ROLE_TEXT,
                          dangers[k].evidence);
            }
        }
    return used;
}

static void findings_draw(struct view *self, const struct scene *scene, struct cells *cells)
{
    struct findings_view *view = (struct findings_view *)self;
    int airy = cells->height >= 18, y = airy, rows, pane;
    bool beside;

    findings_gather(view, scene);
    findings_draw_head(view, cells, y, scene);
    y += 1 + airy;
    y += draw_servers(cells, y, cells->height / 4, scene);
    view->first_y = y + 1;
    beside = cells->width >= BESIDE && cells->height - y >= ROOMY;
    pane = !beside && cells->height >= 14 ? cells->height / 3 : 0;
    rows = cells->height - view->first_y - pane;
    if (pane > 0 && (size_t)rows > view->count + 1) { /* the room below the table */
        rows = (int)view->count + 1;
        pane = cells->height - view->first_y - rows;
    }
    findings_follow_model(view, scene, rows > 0 ? (size_t)rows : 0);
    if (view->count == 0) {
        draw_none(view, cells, y, scene);
        return;
    }
    findings_lay_columns(view, cells, scene);
    columns_head(cells, view->columns, COLUMN_COUNT, y, sorts[view->sort].column, view->reverse);
    names_put_shared(cells, &view->elections, &view->columns[COLUMN_ELECTION], y);
    names_put_shared(cells, &view->candidates, &view->columns[COLUMN_ABOUT], y);
    for (size_t i = 0; i < view->list.rows && view->list.top + i < view->count; i++) {
        int row = view->first_y + (int)i;

        findings_draw_row(view, cells, row, scene, &view->rows[view->list.top + i]);
        if (view->list.top + i == view->list.at)
            list_mark_row(cells, row, view->list_width);
    }
    if (beside) {
        int width = cells->width - view->list_width - 2;
        struct cells *detail = cells_part(cells, width, cells->height - y);

        if (detail != NULL)
            findings_draw_detail(view, detail, 0, detail->height, scene);
        cells_paste(cells, cells->width - width, y, detail);
    } else {
        findings_draw_detail(view, cells, cells->height - pane, pane, scene);
    }
    list_put_more(&view->list, cells, pane > 0 ? cells->height - pane : y);
}

static enum view_result findings_open_selected(struct findings_view *view, struct view **next)
{
    const struct finding_row *row = selected(view);

    if (row == NULL)
        return VIEW_IGNORED;
    if (row->folded > 0) {
        view->unfolded[row->finding->code] = !view->unfolded[row->finding->code];
        return VIEW_DONE;
    }
    return view_open(next, election_view_new(row->election->cluster->name, row->election->path));
}

static enum view_result findings_action(struct view *self, const struct scene *scene, enum action action,
                                        struct view **next)
{
    struct findings_view *view = (struct findings_view *)self;
    const struct finding_row *row;

    findings_follow_model(view, scene, view->list.rows);
    if (list_move(&view->list, action == ACTION_NEXT_MATCH       ? ACTION_DOWN
                               : action == ACTION_PREVIOUS_MATCH ? ACTION_UP
                                                                 : action)) {
        list_select_line(&view->list, findings_key_of, view);
        return VIEW_DONE;
    }
    switch (action) {
    case ACTION_OPEN:
        return findings_open_selected(view, next);
    case ACTION_EXPLAIN:
        row = selected(view);
        return view_open(next, row != NULL ? explanations_view_new(row->finding) : NULL);
    case ACTION_SORT:
        view->sort = (view->sort + 1) % SORT_COUNT;
        view->reverse = false;
        return VIEW_DONE;
    case ACTION_REVERSE:
        view->reverse = !view->reverse;
        return VIEW_DONE;
    default:
        return VIEW_IGNORED;
    }
}

static enum view_result findings_click(struct view *self, const struct scene *scene, int x, int y, bool twice,
                                       struct view **next)
{
    struct findings_view *view = (struct findings_view *)self;

    (void)x;
    findings_follow_model(view, scene, view->list.rows);
    if (!list_click(&view->list, view->first_y, y, twice, findings_key_of, view))
        return VIEW_IGNORED;
    return twice ? findings_open_selected(view, next) : VIEW_DONE;
}

static const char *findings_path(struct view *self, const struct scene *scene, char *buffer, size_t size)
{
    struct findings_view *view = (struct findings_view *)self;
    const struct finding_row *row;
    bool child;

    findings_follow_model(view, scene, view->list.rows);
    row = selected(view);
    if (row == NULL)
        return NULL;
    child = row->finding->candidate_count > 0 &&
            (row->election->recipe == NULL || row->election->recipe->family != FAMILY_LOCK);
    return snprintf(buffer, size, "%s%s%s", row->election->path, child ? "/" : "",
                    child ? row->finding->candidates[0] : "") < (int)size
               ? row->election->cluster->name
               : NULL;
}

static bool findings_clearable(struct view *self, const struct scene *scene, struct finding_place *place)
{
    struct findings_view *view = (struct findings_view *)self;
    const struct finding_row *row;

    findings_follow_model(view, scene, view->list.rows);
    row = selected(view);
    if (row == NULL || row->finding->code != FINDING_NEVER_WAKES || row->finding->candidate_count == 0)
        return false;
    return snprintf(place->cluster, sizeof place->cluster, "%s", row->election->cluster->name) <
               (int)sizeof place->cluster &&
           snprintf(place->election, sizeof place->election, "%s", row->election->path) <
               (int)sizeof place->election &&
           snprintf(place->candidate, sizeof place->candidate, "%s", row->finding->candidates[0]) <
               (int)sizeof place->candidate;
}

static const struct finding *findings_finding(struct view *self, const struct scene *scene,
                                              const struct election **election)
{
    struct findings_view *view = (struct findings_view *)self;
    const struct finding_row *row;

    findings_follow_model(view, scene, view->list.rows);
    row = selected(view);
    *election = row != NULL ? row->election : NULL;
    return row != NULL ? row->finding : NULL;
}

static void findings_filter(struct view *self, const char *text)
{
    struct findings_view *view = (struct findings_view *)self;

    snprintf(view->filter, sizeof view->filter, "%s", text);
}

static void findings_release(struct view *self)
{
    struct findings_view *view = (struct findings_view *)self;

    list_release(&view->list);
    names_free(&view->elections);
    names_free(&view->candidates);
    free(view->rows);
}

static const struct view_ops ops = {
    .name = "findings",
    .draw = findings_draw,
    .action = findings_action,
    .click = findings_click,
    .path = findings_path,
    .clearable = findings_clearable,
    .finding = findings_finding,
    .filter = findings_filter,
    .release = findings_release,
    .list = offsetof(struct findings_view, list),
    .answers = VIEW_MOVES | ACTION_BIT(ACTION_OPEN) | ACTION_BIT(ACTION_SORT) | ACTION_BIT(ACTION_REVERSE) |
               ACTION_BIT(ACTION_BACK),
    .first = ACTION_BIT(ACTION_BACK) | ACTION_BIT(ACTION_OPEN) | ACTION_BIT(ACTION_FILTER) |
             ACTION_BIT(ACTION_EXPLAIN) | ACTION_BIT(ACTION_MUTE) | ACTION_BIT(ACTION_COPY_FINDING),
    .opened_by = ACTION_FINDINGS,
};

struct view *findings_view_new(void)
{
    return view_new(&ops, sizeof(struct findings_view), NULL, NULL);
}
