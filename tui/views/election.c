#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "probe/election/chain.h"
#include "probe/election/election.h"
#include "probe/election/summary.h"
#include "probe/election/vacancy.h"
#include "tui/screen/cells.h"
#include "tui/screen/columns.h"
#include "tui/views/candidate_filter.h"
#include "tui/views/election_head.h"
#include "tui/views/event_lines.h"
#include "tui/views/failover_table.h"
#include "tui/views/list.h"
#include "tui/views/strip.h"
#include "tui/views/timeline.h"
#include "tui/views/screens.h"
#include "tui/words/chain_lines.h"
#include "tui/words/election_filter.h"
#include "tui/words/finding_lines.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"
#include "tui/words/names.h"
#include "tui/words/whatif_lines.h"

#define GUTTER_X 2
#define TABLE_X 4
#define NAME_MOST 26 /* columns of a whole name, on a screen that is not */
#define WIDE 140
#define VERY_WIDE 180
#define NOTES_MOST 5   /* rows */
#define ROOMY 28       /* with at least this many rows, a blank one precedes the footer */
#define APART 160      /* from so many columns on, the failovers are beside the findings and events */
#define APART_LEAST 12 /* rows */

enum {
    COLUMN_PLACE,
    COLUMN_CANDIDATE,
    COLUMN_WHO,
    COLUMN_SESSION,
    COLUMN_AGE,
    COLUMN_ON,
    COLUMN_HEARD,
    COLUMN_WATCHES,
    COLUMN_COUNT
};

static const struct column columns_of_election[COLUMN_COUNT] = {
    [COLUMN_PLACE] = {.heading = "#", .least = 3, .most = 6, .importance = 70, .right = true},
    [COLUMN_CANDIDATE] = {.heading = "CANDIDATE", .least = 12, .most = 56, .importance = 80},
    [COLUMN_WHO] = {.heading = "WHO", .least = 12, .most = 80, .importance = 90},
    [COLUMN_SESSION] = {.heading = "SESSION", .least = 18, .most = 18, .importance = 50},
    [COLUMN_AGE] = {.heading = "AGE", .least = 6, .most = 6, .importance = 55},
    [COLUMN_ON] = {.heading = "ON", .least = 3, .most = 21, .importance = 62},
    [COLUMN_HEARD] = {.heading = "HEARD", .least = HEARD_LEAST, .most = HEARD_WIDTH, .importance = 82},
    [COLUMN_WATCHES] = {.heading = "WATCHES", .least = 18, .most = 56, .importance = 85},
};

struct election_view {
    struct view view;
    struct list list;
    struct candidate_filter filter;
    struct column columns[COLUMN_COUNT];
    struct names names, whos; /* of the lines that are shown */
    int columns_width;
    struct failover_table failovers;
    struct strip_zoom zoom; /* of the timeline */
    bool chosen;            /* the user has moved: until then the first is selected, whichever it is */
    bool follow;            /* the selection stays on the leader */
    bool what_if;           /* plays through what happens when the selected candidate goes */
    int first_y;            /* the row of the first line, for clicks */
};

static const struct candidate *candidate_at(const struct election_view *view, const struct election *election,
                                            size_t i)
{
    if (i >= view->list.count)
        return NULL;
    return election->candidates[candidate_filter_place(&view->filter, i)];
}

static void election_select_line(struct election_view *view, const struct election *election)
{
    const struct candidate *candidate = candidate_at(view, election, view->list.at);

    if (candidate != NULL)
        list_select(&view->list, candidate->name);
}

/* Brings the selection up to date with the model; the selected line is then at list.at. */
static void election_follow_model(struct election_view *view, const struct scene *scene,
                                  const struct election *election, size_t rows)
{
    struct list *list = &view->list;
    const struct candidate *candidate = NULL;
    size_t count = candidate_filter_make(&view->filter, scene, election);

    list_begin(list, count, rows);
    if (view->follow && count > 0)
        list->at = 0;
    else if (list->key != NULL) {
        candidate = election_find(election, list->key);
        if (candidate == NULL) {
            list_lost(list);
        } else {
            size_t at =
                candidate_filter_index(&view->filter, election, election_position(election, candidate));

            if (at < count)
                list_found(list, at);
            else
                list_home(list); /* hidden, not gone */
        }
    }
    list_show(list);
    election_select_line(view, election);
}

/* The line of candidates. */

static void put_age(const struct election_view *view, struct cells *cells, int y, const struct scene *scene,
                    const struct election *election, const struct candidate *candidate, style look)
{
    char age[16];

    int64_t created_us = summary_created_us(candidate);
    if (!created_us || scene->now.wall_us == 0) {
        columns_put(cells, &view->columns[COLUMN_AGE], y, ROLE_DIM, "?");
        return;
    }
    columns_put(cells, &view->columns[COLUMN_AGE], y, look,
                format_age(label_as_of(election, scene->now).wall_us - created_us, age, sizeof age));
}

static void election_draw_row(const struct election_view *view, struct cells *cells, int y,
                              const struct scene *scene, const struct election *election, size_t place)
{
    const struct candidate *candidate = election->candidates[place];
    const struct column *columns = view->columns;
    bool leads = candidate == election->leader;
    style look = label_stale(election) ? ROLE_DIM : ROLE_TEXT, server, watches;
    char text[256];

    chain_put_gutter(cells, GUTTER_X, y, election, candidate);
    snprintf(text, sizeof text, "%zu", place + 1);
    columns_put(cells, &columns[COLUMN_PLACE], y, ROLE_DIM, text);
    names_put(cells, &view->names, &columns[COLUMN_CANDIDATE], y, leads ? (style)(look | STYLE_BOLD) : look,
              candidate->name);
    const char *who = chain_who(candidate, text, sizeof text);
    if (who[0] == '?' && candidate->known && columns[COLUMN_SESSION].width == 0)
        who = label_session(candidate, text, sizeof text);
    names_put(cells, &view->whos, &columns[COLUMN_WHO], y,
              look == ROLE_DIM || who[0] == '?' ? (style)ROLE_DIM
              : leads                           ? (style)ROLE_GOOD
                                                : look,
              who);
    columns_put(cells, &columns[COLUMN_SESSION], y, ROLE_DIM, label_session(candidate, text, sizeof text));
    put_age(view, cells, y, scene, election, candidate, look);
    server = chain_server_text(cells, election, candidate, text, sizeof text);
    columns_put(cells, &columns[COLUMN_ON], y, server, text);
    chain_put_heard(cells, columns[COLUMN_HEARD].x, y, columns[COLUMN_HEARD].width, election, candidate);
    watches = chain_watch_text(cells, election, candidate, text, sizeof text);
    columns_put(cells, &columns[COLUMN_WATCHES], y, watches, text);
}

static void election_lay_columns(struct election_view *view, const struct cells *cells,
                                 const struct election *election)
{
    struct column *columns = view->columns;
    int wide = cells->width >= 100, name;
    char text[256];

    if (view->columns_width != cells->width) {
        memcpy(columns, columns_of_election, sizeof columns_of_election);
        view->columns_width = cells->width;
        if (cells->width >= WIDE)
            columns[COLUMN_HEARD].most = HEARD_WHOLE;
    }
    names_free(&view->names);
    names_free(&view->whos);
    view->names.candidates = true;
    for (size_t i = view->list.top; i < view->list.top + view->list.rows && i < view->list.count; i++) {
        const struct candidate *candidate = candidate_at(view, election, i);

        names_add(&view->names, candidate->name);
        names_add(&view->whos, chain_who(candidate, text, sizeof text));
        chain_watch_text(cells, election, candidate, text, sizeof text);
        columns_want(&columns[COLUMN_WATCHES], cells_width(cells, text));
        chain_server_text(cells, election, candidate, text, sizeof text);
        columns_want(&columns[COLUMN_ON], cells_width(cells, text));
        name = cells_width(cells, candidate->name);
        if (name > NAME_MOST && cells->width < VERY_WIDE &&
            candidate->sequence != SEQUENCE_NONE) { /* as people speak of it: a GUID says nothing */
            name_of_candidate(cells, candidate->name, text, sizeof text);
            name = cells_width(cells, text);
        }
        columns_want(&columns[COLUMN_CANDIDATE], name);
        columns_want(&columns[COLUMN_WHO], cells_width(cells, chain_who(candidate, text, sizeof text)));
    }
    /* Watches are the point of this screen: other columns give way to them first. */
    columns_keep(&columns[COLUMN_WATCHES], 7, 24);
    columns_keep(&columns[COLUMN_ON], 2, 9);
    columns[COLUMN_WHO].least = columns[COLUMN_WHO].want > 15 ? 15 : 12;
    columns[COLUMN_PLACE].least = columns[COLUMN_PLACE].want = election->candidate_count >= 100000 ? 6
                                                               : election->candidate_count >= 1000 ? 5
                                                                                                   : 3;
    columns_lay(columns, COLUMN_COUNT, TABLE_X, cells->width - TABLE_X - wide, wide ? 2 : 1);
    names_fit_column(&view->names, cells, &columns[COLUMN_CANDIDATE], 0);
    names_fit_column(&view->whos, cells, &columns[COLUMN_WHO], 0);
}

static void election_draw_table(struct election_view *view, struct cells *cells, int y, int rows,
                                const struct scene *scene, const struct election *election)
{
    const struct list *list = &view->list;

    view->first_y = y + 1;
    election_follow_model(view, scene, election, rows > 1 ? (size_t)rows - 1 : 0);
    if (list->count == 0) {
        if (view->filter.text[0] != '\0' && election->candidate_count > 0)
            cells_printf(cells, TABLE_X, y, -1, ROLE_TEXT,
                         "No candidate has \"%s\" in its name, identity or session. %s shows all again.",
                         view->filter.text, key_first(ACTION_BACK));
        else if (election->directory_known && election->state != ELECTION_ABSENT)
            cells_put(cells, TABLE_X, y, -1, ROLE_DIM,
                      view->what_if ? "no candidates, so none could leave" : "no candidates");
        return;
    }
    election_lay_columns(view, cells, election);
    columns_head(cells, view->columns, COLUMN_COUNT, y, -1, false);
    names_put_shared(cells, &view->names, &view->columns[COLUMN_CANDIDATE], y);
    names_put_shared(cells, &view->whos, &view->columns[COLUMN_WHO], y);
    for (size_t i = 0; i < list->rows && list->top + i < list->count; i++) {
        int row = view->first_y + (int)i;

        election_draw_row(view, cells, row, scene, election,
                          candidate_filter_place(&view->filter, list->top + i));
        if (list->top + i == list->at)
            list_mark_row(cells, row, cells->width);
    }
}

/* What concerns the selection, in the blank line above the headings. */
static void election_draw_note(const struct election_view *view, struct cells *cells, int y,
                               const struct election *election)
{
    char text[192];
    int width;

    if (view->list.gone != NULL)
        cells_printf(cells, TABLE_X, y, cells->width - TABLE_X - 30, ROLE_WARNING,
                     "%s has left; its place is kept", view->list.gone);
    if (view->follow)
        snprintf(text, sizeof text, "following the leader");
    else if (view->filter.text[0] != '\0')
        snprintf(text, sizeof text, "%zu of %zu with \"%s\"", view->list.count, election->candidate_count,
                 view->filter.text);
    else if (view->list.count > view->list.rows && view->list.rows > 0)
        snprintf(text, sizeof text, "%zu of %zu", view->list.at + 1, view->list.count);
    else
        return;
    width = cells_width(cells, text);
    cells_put_right(cells, cells->width - 1, y, width,
                    view->list.count > view->list.rows && !view->follow && view->filter.text[0] == '\0'
                        ? ROLE_DIM
                        : ROLE_ACCENT,
                    text);
}

#define EVENTS_LEAST 4 /* rows, with their heading */

/* The rows of the panes below the line of candidates. */
struct below {
    int what_if, members, timeline, picture, findings, events;
    int apart; /* in place of the last three: they share so many rows, side by side */
};

/* The minimum height of the line of candidates: all of it, up to this many rows. */
static int least_rows(const struct election *election, int most)
{
    int wanted = 2 + (int)(election->candidate_count < 1000 ? election->candidate_count : 1000);

    return wanted < most ? wanted : most;
}

/* Its name may say it already. */
static const char *members_identity(const struct member *member)
{
    return member->identity && strcmp(member->identity, member->name) != 0 ? member->identity : "";
}

/* Who registered beside the lock: its waiters have no znode at the election itself. */
static int members_rows(const struct election *election, int most)
{
    int wanted = election->listed_member_count < 1000 ? 1 + (int)election->listed_member_count : 1001;

    return wanted < 2 || most < 2 ? 0 : wanted < most ? wanted : most;
}

static void members_draw(struct cells *cells, int y, int rows, const struct election *election)
{
    struct column columns[] = {{.heading = "", .least = 4, .most = 32, .importance = 5},
                               {.heading = "", .least = 8, .most = 40, .importance = 3},
                               {.heading = "", .least = 16, .most = 18, .importance = 4},
                               {.heading = "", .least = 8, .most = 40, .importance = 2},
                               {.heading = "", .least = 18, .most = 18, .importance = 1}};
    size_t shown = rows < 2 ? 0 : (size_t)rows - 1, all = election->listed_member_count;
    /* Of the first, the second and the fourth column, which have no headings. */
    struct names names[3] = {
        {.candidates = true, .keep_shared = true}, {.keep_shared = true}, {.keep_shared = true}};
    char text[160];

    if (shown == 0)
        return;
    snprintf(text, sizeof text, "members, from %s", election->members_path);
    cells_rule(cells, 0, y++, cells->width, text);
    if (shown < all)
        shown--; /* a row says that there are more */
    else
        shown = all;
    for (size_t i = 0; i < shown; i++) {
        const struct member *member = &election->listed_members[i];
        const char *const texts[] = {member->name, members_identity(member), member->about};

        for (size_t k = 0; k < 3; k++) {
            columns_want(&columns[k + (k == 2)], cells_width(cells, texts[k]));
            names_add(&names[k], texts[k]);
        }
        columns_want(&columns[2], (int)strlen(label_member(election, member).text));
    }
    columns_want(&columns[4], 18);
    for (size_t k = 1; k < 4; k += 2)
        columns[k].hidden = columns[k].want == 0;
    columns_lay(columns, 5, TABLE_X, cells->width - TABLE_X - 1, 2);
    for (size_t k = 0; k < 3; k++)
        names_fit(&names[k], cells, columns[k + (k == 2)].width);
    for (size_t i = 0; i < shown; i++, y++) {
        const struct member *member = &election->listed_members[i];
        struct member_word word = label_member(election, member);

        names_put(cells, &names[0], &columns[0], y, ROLE_TEXT, member->name);
        names_put(cells, &names[1], &columns[1], y, ROLE_TEXT, members_identity(member));
        columns_put(cells, &columns[2], y, word.look, word.text);
        names_put(cells, &names[2], &columns[3], y, ROLE_TEXT, member->about ? member->about : "");
        snprintf(text, sizeof text, "0x%" PRIx64, member->session);
        columns_put(cells, &columns[4], y, ROLE_DIM, member->session ? text : "?");
    }
    for (size_t k = 0; k < 3; k++)
        names_free(&names[k]);
    if (shown < all)
        cells_printf(cells, TABLE_X, y, -1, ROLE_DIM, "%s %zu more", cells_sign(cells, SIGN_ELLIPSIS),
                     all - shown);
}

/* Findings before history, history before events, and the line of candidates before them all. */
static void share_rows(const struct election_view *view, struct below *below, const struct cells *cells,
                       const struct scene *scene, const struct election *election, int rows)
{
    below->members = members_rows(election, rows / 3);
    rows -= below->members;
    int wanted = least_rows(election, 1002), least = least_rows(election, rows / 2), spare;

    int chart = timeline_rows(election, scene->now, view->zoom.window, cells->height / 4);
    below->findings = finding_pane_rows(cells, election, NULL);
    if (below->findings > rows - least - chart)
        below->findings = finding_pane_brief_rows(cells, election, NULL);
    /* Of mere notes the first ones are enough here, unless the room is left that all candidates leave. */
    int notes = (rows - wanted) / 2 > NOTES_MOST ? (rows - wanted) / 2 : NOTES_MOST;
    if (below->findings > notes && election->findings[0]->severity == SEVERITY_INFO)
        below->findings = notes;
    if (below->findings > rows - least)
        below->findings = rows - least > 2 ? rows - least : 0;
    spare = rows - least - below->findings;
    if (spare > 2)
        below->timeline = timeline_rows(election, scene->now, view->zoom.window,
                                        spare < cells->height / 4 ? spare : cells->height / 4);
    if (cells->height < 30) {
        spare = rows - wanted - below->findings - below->timeline;
        below->events = spare >= EVENTS_LEAST ? spare : 0;
        return;
    }
    if (cells->width >= APART && election->failover_count > 0 &&
        rows - wanted - below->timeline >= APART_LEAST) {
        below->apart = rows - wanted - below->timeline;
        below->findings = 0;
        return;
    }
    spare = rows - wanted - below->findings - below->timeline;
    if (election->failover_count > 0 && spare > FAILOVER_PICTURE_ROWS)
        below->picture = FAILOVER_PICTURE_ROWS;
    spare -= below->picture;
    below->events = spare;
    if (below->events < cells->height / 5 && below->picture == 0)
        below->events = rows - least - below->findings - below->timeline > 2
                            ? rows - least - below->findings - below->timeline
                            : 0;
    if (below->events > cells->height / 5 && below->events > spare)
        below->events = cells->height / 5;
}

/* What no event needs shows more of the findings. */
static void grow_findings(const struct election_view *view, struct below *below, const struct cells *cells,
                          const struct scene *scene, const struct election *election)
{
    int spare = below->events - event_pane_rows(scene, view->view.cluster, view->view.path, below->events);
    int all = finding_pane_grow(cells, election, NULL, below->findings, below->events > 0 ? spare : 0);

    below->events -= all - below->findings;
    below->findings = all;
}

/* The rows of the page that neither its first lines need, nor all candidates, findings and times. */
static int head_spare(const struct election_view *view, const struct cells *cells, const struct scene *scene,
                      const struct election *election, int rows)
{
    rows -= ELECTION_HEAD_ROWS + least_rows(election, 1002) + finding_pane_rows(cells, election, NULL);
    return rows - timeline_rows(election, scene->now, view->zoom.window, cells->height / 4);
}

/* Its texts stay the model's. The vacancy of an open one lasts until now. */
static struct failover failover_by_now(const struct election *election, size_t i, struct moment now)
{
    struct failover failover = *election_failover_at(election, i), lost;

    if (i + 1 == election->failover_count && failover_is_open(&failover) && !label_stale(election) &&
        vacancy_lost(election, now, &lost) && moment_is(lost.lost_at, failover.lost_at))
        failover.vacancy = lost.vacancy;
    return failover;
}

/* Its latest failovers, as far as the model keeps them: the phases of the last one, the table, the figures.
 */
static void draw_failovers(struct election_view *view, struct cells *cells, const struct scene *scene,
                           const struct election *election)
{
    struct failover kept[FAILOVERS_KEPT];
    struct failover_sample samples[FAILOVERS_KEPT];
    struct leadership_history failovers = {.failovers = kept};
    size_t count = 0, rows;
    char caption[400];
    int y = 0, stats;
    bool days;

    for (size_t i = 0; i < election->failover_count && i < FAILOVERS_KEPT; i++) {
        kept[failovers.failover_count++] = failover_by_now(election, i, scene->now);
        count += failover_sample_of(&kept[i], &samples[count]);
    }
    failover_stats_make(samples, count, &failovers.stats);
    days = scene->now.wall_us - kept[0].lost_at.wall_us > INT64_C(86400) * 1000000;
    y += failover_picture_draw(cells, y, cells->height, &kept[failovers.failover_count - 1], scene->now);
    if (cells->height - y < 4)
        return;
    int rule_y = y++;
    stats = cells->height - y >= 6 ? failover_stats_rows(cells, &failovers) : 0;
    stats = stats < cells->height - y - 4 ? stats : cells->height - y - 4;
    stats = stats > 0 ? stats : 0;
    rows = (size_t)(cells->height - y - 1 - stats);
    rows = rows < failovers.failover_count ? rows : failovers.failover_count;
    failover_table_lay(&view->failovers, cells, 2, &failovers, 0, rows, days);
    cells_rule(cells, 0, rule_y, cells->width,
               failover_table_caption(&view->failovers, cells, "failovers", caption, sizeof caption));
    failover_table_head(cells, &view->failovers, y++);
    for (size_t i = 0; i < rows; i++)
        failover_table_row(cells, &view->failovers, y++, &kept[failovers.failover_count - 1 - i], days);
    failover_stats_draw(cells, y, stats, &failovers);
}

/* Findings and events at the left, failovers beside them. */
static void draw_apart(struct election_view *view, struct cells *cells, int y, int rows,
                       const struct scene *scene, const struct election *election)
{
    int width = cells->width / 2;
    struct cells *left = cells_part(cells, width - 1, rows);
    struct cells *right = cells_part(cells, cells->width - width, rows);

    if (left != NULL) {
        int findings = finding_pane_rows(left, election, NULL);

        findings = findings > rows - 4 ? rows - 4 : findings;
        findings = finding_pane_grow(
            left, election, NULL, findings,
            rows - findings - event_pane_rows(scene, view->view.cluster, view->view.path, rows - findings));
        finding_pane_draw(left, 0, findings, scene->now, election, NULL);
        event_pane_draw(left, findings, rows - findings, scene, view->view.cluster, view->view.path);
    }
    if (right != NULL)
        draw_failovers(view, right, scene, election);
    cells_paste(cells, 0, y, left);
    cells_paste(cells, width, y, right);
}

static void election_draw(struct view *self, const struct scene *scene, struct cells *cells)
{
    struct election_view *view = (struct election_view *)self;
    const struct election *election = view_election(self, scene);
    int airy = cells->height >= 18;
    int y = airy, note_y, rows, bottom;
    struct below below = {0};

    if (election == NULL) {
        cells_printf(cells, TABLE_X, 1 + airy, -1, ROLE_WARNING, "%s is no longer watched.", self->path);
        cells_printf(cells, TABLE_X, 2 + airy, -1, ROLE_DIM, "%s goes back.", key_first(ACTION_BACK));
        return;
    }
    strip_zoom_follow(&view->zoom, strip_known_us(election, scene->now));
    if (!view->chosen)
        list_home(&view->list);
    bottom = cells->height - (cells->height >= ROOMY);
    y += election_head_draw(cells, y, cells->height / 3, head_spare(view, cells, scene, election, bottom - y),
                            scene, election);
    note_y = y;
    y += airy;
    rows = bottom - y;
    if (view->what_if)
        below.what_if = rows - least_rows(election, rows > 12 ? rows - rows / 2 : rows - rows / 3);
    else
        share_rows(view, &below, cells, scene, election, rows);
    grow_findings(view, &below, cells, scene, election);
    rows -= below.what_if + below.members + below.timeline + below.picture + below.findings + below.events +
            below.apart;
    election_draw_table(view, cells, y, rows, scene, election);
    if (airy)
        election_draw_note(view, cells, note_y, election);
    y += rows;
    whatif_pane_draw(cells, y, below.what_if, election, candidate_at(view, election, view->list.at));
    members_draw(cells, y, below.members, election);
    y += below.members;
    timeline_draw(cells, y, below.timeline, election, scene, view->zoom.window);
    y += below.timeline;
    if (below.apart > 0) {
        draw_apart(view, cells, y, below.apart, scene, election);
        return;
    }
    if (below.picture > 0) {
        struct failover last = failover_by_now(election, election->failover_count - 1, scene->now);

        y += failover_picture_draw(cells, y, below.picture, &last, scene->now);
    }
    finding_pane_draw(cells, y, below.findings, scene->now, election, NULL);
    event_pane_draw(cells, y + below.findings, below.events, scene, self->cluster, self->path);
}

static enum view_result election_open_selected(struct election_view *view, const struct election *election,
                                               struct view **next)
{
    const struct candidate *candidate = candidate_at(view, election, view->list.at);

    return view_open(next, candidate == NULL
                               ? NULL
                               : candidate_view_new(view->view.cluster, view->view.path, candidate->name));
}

/* The finding of the selected candidate, else the worst of the election; NULL: there is none. */
static const struct finding *selected_finding(const struct election_view *view,
                                              const struct election *election)
{
    const struct candidate *candidate = candidate_at(view, election, view->list.at);
    const struct finding *finding = candidate != NULL ? finding_of(election, candidate->name) : NULL;

    return finding != NULL || election->finding_count == 0 ? finding : election->findings[0];
}

static enum view_result election_action(struct view *self, const struct scene *scene, enum action action,
                                        struct view **next)
{
    struct election_view *view = (struct election_view *)self;
    const struct election *election = view_election(self, scene);
    const struct finding *finding;

    if (action == ACTION_BACK && view->what_if) {
        view->what_if = false;
        return VIEW_DONE;
    }
    if (election == NULL)
        return VIEW_IGNORED;
    election_follow_model(view, scene, election, view->list.rows);
    if (list_move(&view->list, action)) {
        view->follow = false;
        view->chosen = true;
        election_select_line(view, election);
        return VIEW_DONE;
    }
    switch (action) {
    case ACTION_OPEN:
        return election_open_selected(view, election, next);
    case ACTION_HISTORY:
        return view_open(next, history_view_new(self->cluster, self->path));
    case ACTION_NEXT_MATCH:
    case ACTION_PREVIOUS_MATCH:
        view->follow = false;
        view->chosen = true;
        list_walk(&view->list, action == ACTION_NEXT_MATCH);
        election_select_line(view, election);
        return VIEW_DONE;
    case ACTION_FOLLOW:
        view->follow = !view->follow;
        return VIEW_DONE;
    case ACTION_WHAT_IF:
        view->what_if = !view->what_if;
        return VIEW_DONE;
    case ACTION_EXPLAIN:
        finding = selected_finding(view, election);
        return view_open(next, finding != NULL ? explanations_view_new(finding) : NULL);
    case ACTION_LEFT:
        strip_zoom_turn(&view->zoom, false);
        return VIEW_DONE;
    case ACTION_RIGHT:
        strip_zoom_turn(&view->zoom, true);
        return VIEW_DONE;
    default:
        return VIEW_IGNORED;
    }
}

static enum view_result election_click(struct view *self, const struct scene *scene, int x, int y, bool twice,
                                       struct view **next)
{
    struct election_view *view = (struct election_view *)self;
    const struct election *election = view_election(self, scene);
    size_t line;

    (void)x;
    if (election == NULL)
        return VIEW_IGNORED;
    election_follow_model(view, scene, election, view->list.rows);
    line = list_clicked(&view->list, view->first_y, y, twice);
    if (line == SIZE_MAX)
        return VIEW_IGNORED;
    view->follow = false;
    view->list.at = line;
    view->chosen = true;
    election_select_line(view, election);
    return twice ? election_open_selected(view, election, next) : VIEW_DONE;
}

static void election_title(struct view *self, const struct scene *scene, struct cells *cells, int x, int room)
{
    const char *name = view_name(self, scene);
    int end = x + room;

    x += label_put_crumbs(cells, x, room, scene->model, self->cluster, name, NULL);
    if (strcmp(name, self->path) != 0)
        cells_put(cells, x + 2, 0, label_room(x + 2, end), ROLE_TITLE_DIM, self->path);
}

/* Of the selection: the candidate; without one, the election. */
static const char *election_path(struct view *self, const struct scene *scene, char *buffer, size_t size)
{
    struct election_view *view = (struct election_view *)self;
    const struct election *election = view_election(self, scene);
    const struct candidate *candidate = NULL;

    if (election != NULL) {
        election_follow_model(view, scene, election, view->list.rows);
        candidate = candidate_at(view, election, view->list.at);
    }
    const char *name = candidate != NULL ? candidate->name : NULL;

    return label_candidate_path(election, self->path, name, buffer, size) ? self->cluster : NULL;
}

static const struct finding *election_finding(struct view *self, const struct scene *scene,
                                              const struct election **about)
{
    struct election_view *view = (struct election_view *)self;

    *about = view_election(self, scene);
    if (*about == NULL)
        return NULL;
    election_follow_model(view, scene, *about, view->list.rows);
    return selected_finding(view, *about);
}

static void election_filter(struct view *self, const char *text)
{
    struct election_view *view = (struct election_view *)self;

    view->chosen |= text[0] != '\0'; /* what a filter has found stays selected after it */
    candidate_filter_set(&view->filter, text);
}

static void view_release(struct view *self)
{
    struct election_view *view = (struct election_view *)self;

    list_release(&view->list);
    names_free(&view->names);
    names_free(&view->whos);
    failover_table_free(&view->failovers);
    candidate_filter_release(&view->filter);
}

static const struct view_ops ops = {
    .name = "election",
    .draw = election_draw,
    .action = election_action,
    .click = election_click,
    .title = election_title,
    .path = election_path,
    .finding = election_finding,
    .filter = election_filter,
    .release = view_release,
    .list = offsetof(struct election_view, list),
    .answers = VIEW_MOVES | ACTION_BIT(ACTION_LEFT) | ACTION_BIT(ACTION_RIGHT) | ACTION_BIT(ACTION_OPEN) |
               ACTION_BIT(ACTION_BACK) | ACTION_BIT(ACTION_WHAT_IF) | ACTION_BIT(ACTION_FOLLOW) |
               ACTION_BIT(ACTION_HISTORY),
};

struct view *election_view_new(const char *cluster, const char *path)
{
    struct election_view *view = view_new(&ops, sizeof *view, cluster, path);
    return &view->view;
}

void election_view_find(struct view *self, const struct election *election, const char *filter)
{
    struct election_view *view = (struct election_view *)self;

    size_t most = 0, found = 0;

    for (size_t i = 0; i < election->candidate_count; i++) {
        size_t terms = election_filter_finds(filter, election->candidates[i]);

        found = terms > most ? i : found;
        most = terms > most ? terms : most;
    }
    if (most > 0) {
        list_select(&view->list, election->candidates[found]->name);
        view->chosen = found > 0;
    }
}
