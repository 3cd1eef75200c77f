#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "probe/election/summary.h"
#include "tui/views/cluster_lines.h"
#include "tui/views/data_lines.h"
#include "tui/views/event_lines.h"
#include "tui/views/list.h"
#include "tui/views/screens.h"
#include "tui/words/chain_lines.h"
#include "tui/words/finding_lines.h"
#include "tui/words/format.h"
#include "tui/words/labels.h"
#include "tui/words/names.h"

#define STAT_X 2
#define STAT_LABEL 15
#define STAT_TIMES 41   /* the column with RFC 3339 times */
#define STAT_NUMBERS 35 /* each of the others */
#define LINE_LABEL 12
#define FACTS_BESIDE 76 /* from this width on the facts are in two columns ... */
#define FACTS_MOST 80   /* ... of which the left one is never wider */
#define ELSEWHERE_MOST 4
#define EVENTS_LEAST 6 /* rows left below, from which on the election's events are shown */

/* The owner's other candidacies, looked for once for each change of the model. */
struct elsewhere {
    const struct model *model;
    uint64_t generation;
    size_t count;
    struct {
        char name[1024];
        const char *word; /* whether it leads there */
    } of[ELSEWHERE_MOST];
};

struct candidate_view {
    struct view view;
    char *name;
    struct list data; /* only scrolls: at is the first line shown */
    enum data_form form;
    bool form_chosen;
    struct elsewhere elsewhere;
};

/* A fact: its label dimmed, its value beside it. */
struct block {
    struct cells *cells;
    int x, y, label, width;
};

static void candidate_put(struct block *block, const char *label, style look, const char *value)
{
    cells_put(block->cells, block->x, block->y, block->label - 1, ROLE_DIM, label);
    cells_put(block->cells, block->x + block->label, block->y, block->width - block->label, look, value);
    block->y++;
}

#define STAT_FIELDS 11

enum stat_form { STAT_ZXID, STAT_TIME, STAT_NUMBER, STAT_OWNER };

/* One field of its Stat, in ZooKeeper's names and in ZooKeeper's order. */
static void put_stat_field(struct block *block, const struct znode_stat *stat, int field)
{
    const struct {
        const char *name;
        enum stat_form form;
        int64_t value;
    } fields[STAT_FIELDS] = {{"czxid", STAT_ZXID, stat->czxid},
                             {"ctime", STAT_TIME, stat->ctime_ms},
                             {"mzxid", STAT_ZXID, stat->mzxid},
                             {"mtime", STAT_TIME, stat->mtime_ms},
                             {"pzxid", STAT_ZXID, stat->pzxid},
                             {"version", STAT_NUMBER, stat->version},
                             {"cversion", STAT_NUMBER, stat->cversion},
                             {"aversion", STAT_NUMBER, stat->aversion},
                             {"ephemeralOwner", STAT_OWNER, (int64_t)stat->owner},
                             {"dataLength", STAT_NUMBER, stat->data_length},
                             {"numChildren", STAT_NUMBER, stat->children}};
    int64_t value = fields[field].value;
    bool persistent = fields[field].form == STAT_OWNER && value == 0;
    char text[40];

    if (fields[field].form == STAT_TIME)
        format_time(znode_time_ms(value) * 1000, text, sizeof text);
    else if (fields[field].form == STAT_NUMBER)
        snprintf(text, sizeof text, "%" PRId64, value);
    else
        snprintf(text, sizeof text, "0x%" PRIx64 "%s", (uint64_t)value, persistent ? " (persistent)" : "");
    candidate_put(block, fields[field].name, persistent ? ROLE_WARNING : ROLE_TEXT, text);
}

/* The columns of fields that fit beside each other, and the lines that they then take. */
static int stat_columns(const struct cells *cells)
{
    int fit = 1 + (cells->width - STAT_X - STAT_TIMES) / STAT_NUMBERS;

    return fit < 1 ? 1 : fit > 3 ? 3 : fit;
}

static int stat_lines(const struct cells *cells)
{
    int columns = stat_columns(cells);

    return (STAT_FIELDS + columns - 1) / columns;
}

/* One of these lines: the fields run down each column. */
static void draw_stat_line(struct cells *cells, int y, int line, const struct znode_stat *stat)
{
    int lines = stat_lines(cells), column = 0;

    for (int field = line; field < STAT_FIELDS; field += lines, column++) {
        int x = STAT_X + (column > 0 ? STAT_TIMES + (column - 1) * STAT_NUMBERS : 0);
        struct block block = {cells, x, y, STAT_LABEL, STAT_TIMES};

        put_stat_field(&block, stat, field);
    }
}

static const char *identity_source_word(enum identity_source source)
{
    switch (source) {
    case IDENTITY_SESSION:
        return "its session";
    case IDENTITY_CLIENT:
        return "its connection";
    case IDENTITY_REGISTRY:
        return "a registry";
    case IDENTITY_NAME:
        return "its name";
    case IDENTITY_DATA:
        return "its data";
    case IDENTITY_ACKNOWLEDGEMENT:
        return "its acknowledgement";
    }
    return "?";
}

/* A name among other words: after is dropped first, then the name is shortened. */
static void candidate_put_who(struct block *block, const char *label, const char *before, const char *who,
                              const char *after)
{
    int room = label_room(block->label + cells_width(block->cells, before), block->width - 1);
    bool all = cells_width(block->cells, who) + cells_width(block->cells, after) <= room;
    char name[256], text[512];

    snprintf(text, sizeof text, "%s%s%s", before, name_fit(block->cells, who, room, name, sizeof name),
             all ? after : "");
    candidate_put(block, label, ROLE_TEXT, text);
}

static void put_neighbour(struct block *block, const char *label, const struct candidate *candidate,
                          const char *none)
{
    char name[64], who[256], text[384];

    if (candidate == NULL) {
        snprintf(text, sizeof text, "%s %s", cells_sign(block->cells, SIGN_DASH), none);
        candidate_put(block, label, ROLE_DIM, text);
        return;
    }
    snprintf(text, sizeof text, "%s ", name_of_candidate(block->cells, candidate->name, name, sizeof name));
    candidate_put_who(block, label, text, label_who(candidate, who, sizeof who), "");
}

static void find_elsewhere(struct elsewhere *elsewhere, const struct scene *scene,
                           const struct election *here, uint64_t owner)
{
    const struct cluster *cluster = here->cluster;

    if (elsewhere->model == scene->model && elsewhere->generation == scene->model->generation)
        return;
    elsewhere->model = scene->model;
    elsewhere->generation = scene->model->generation;
    elsewhere->count = 0;
    for (size_t i = 0; i < cluster->election_count && owner != 0; i++) {
        const struct election *election = cluster->elections[i];

        if (election == here)
            continue;
        for (size_t j = 0; j < election->candidate_count; j++) {
            const struct candidate *candidate = election->candidates[j];

            if (!candidate->known || candidate->stat.owner != owner)
                continue;
            if (elsewhere->count < ELSEWHERE_MOST) {
                snprintf(elsewhere->of[elsewhere->count].name, sizeof elsewhere->of[0].name, "%s",
                         election->name);
                elsewhere->of[elsewhere->count].word =
                    candidate == election->leader ? label_leads(election) : "waits";
            }
            elsewhere->count++;
        }
    }
}

/* Its session's connection: from where, to which server, when it was heard. */
static void candidate_put_connection(struct block *block, const struct scene *scene,
                                     const struct election *election, const struct candidate *candidate)
{
    const struct client_session *session = candidate_client(candidate);
    bool is_persistent = candidate->known && candidate->stat.owner == 0, is_bound;
    int percent;
    struct moment expires =
        session != NULL ? client_expires(candidate->election->cluster, session) : (struct moment){0, 0};
    char text[160], name[128], age[16], clock[32];
    style look;

    candidate_put(block, "client", session != NULL && session->address != NULL ? ROLE_TEXT : ROLE_DIM,
                  session != NULL && session->address != NULL ? session->address
                  : is_persistent                             ? "none"
                                                              : "?");
    look = chain_server_text(block->cells, election, candidate, name, sizeof name);
    if (session != NULL && session->timeout_ms > 0)
        snprintf(text, sizeof text, "%s, timeout %s", name,
                 format_span((int64_t)session->timeout_ms * 1000, age, sizeof age));
    else
        snprintf(text, sizeof text, is_persistent ? "none" : "%s, timeout ?", name);
    candidate_put(block, "server", look, text);
    cells_put(block->cells, block->x, block->y, block->label - 1, ROLE_DIM, "heard");
    chain_put_heard(block->cells, block->x + block->label, block->y, HEARD_WIDTH, election, candidate);
    if (chain_silent_ms(election, candidate, &is_bound, &percent) >= 0)
        cells_printf(block->cells, block->x + block->label + HEARD_WIDTH + 1, block->y,
                     label_room(HEARD_WIDTH + 1 + block->label, block->width), ROLE_DIM, "poll %s ago",
                     format_age(label_age_us(session->seen, scene->now), age, sizeof age));
    block->y++;
    if (expires.mono_us != 0) {
        snprintf(text, sizeof text, "%s if silent", format_clock(expires.wall_us, clock, sizeof clock));
        candidate_put(block, "expires", ROLE_TEXT, text);
    } else {
        candidate_put(block, "expires", ROLE_DIM, is_persistent ? "never: no session" : "?");
    }
}

static void candidate_put_watchers(struct block *block, const struct election *election,
                                   const struct candidate *candidate)
{
    uint64_t sessions[4];
    size_t count = chain_watched_by(election, candidate, sessions, 4);
    bool complete = chain_watches_complete(election->cluster);
    char text[160] = "", name[64];

    if (count == 0) {
        candidate_put(block, "watched by", ROLE_DIM, complete ? "no session" : "? some watches are hidden");
        return;
    }
    for (size_t i = 0; i < count && i < 4; i++) {
        const struct candidate *owner = NULL;
        size_t used = strlen(text);

        for (size_t k = 0; k < election->candidate_count && owner == NULL; k++)
            if (election->candidates[k]->known && election->candidates[k]->stat.owner == sessions[i])
                owner = election->candidates[k];
        if (owner != NULL)
            name_of_candidate(block->cells, owner->name, name, sizeof name);
        else
            snprintf(name, sizeof name, "0x%" PRIx64, sessions[i]);
        snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? ", " : "", name);
    }
    if (count > 4)
        snprintf(text + strlen(text), sizeof text - strlen(text), " and %zu more", count - 4);
    candidate_put(block, "watched by", ROLE_TEXT, text);
}

/* The other watches of its session, as many as fit, including those that concern no candidate. */
static void put_watches(struct block *block, const struct election *election,
                        const struct candidate *candidate)
{
    const struct client_session *session = candidate_client(candidate);
    char text[256];
    style look = chain_watch_text(block->cells, election, candidate, text, sizeof text);

    candidate_put(block, "watches", look, text);
    if (session == NULL || !session->watches_known || session->watch_count == 0)
        return;
    if (candidate->link == LINK_RIGHT && session->watch_count == 1)
        return;
    snprintf(text, sizeof text, "%" PRIu32 " in all: %s%s%s", session->watch_count, session->watches[0],
             session->watch_count > 1 ? ", " : "",
             session->watch_count > 1 ? cells_sign(block->cells, SIGN_ELLIPSIS) : "");
    candidate_put(block, "", ROLE_DIM, text);
}

/* Its place, identity and connection. */
static void put_place(struct block *block, const struct scene *scene, const struct election *election,
                      const struct candidate *candidate)
{
    size_t place = election_position(election, candidate);
    char text[384];

    if (candidate->sequence != SEQUENCE_NONE)
        snprintf(text, sizeof text, "%zu of %zu, number %" PRId64, place + 1, election->candidate_count,
                 candidate->sequence);
    else
        snprintf(text, sizeof text, "%zu of %zu", place + 1, election->candidate_count);
    candidate_put(block, "place", ROLE_TEXT, text);
    if (candidate->identity != NULL) {
        snprintf(text, sizeof text, " (by %s)", identity_source_word(candidate->identity_source));
        candidate_put_who(block, "identity", "", candidate->identity, text);
    } else {
        candidate_put(block, "identity", ROLE_DIM, "? only its session");
    }
    candidate_put(block, "session", ROLE_TEXT, label_session(candidate, text, sizeof text));
    candidate_put_connection(block, scene, election, candidate);
}

static void put_elsewhere(struct block *block, const struct elsewhere *elsewhere, const struct scene *scene)
{
    struct names names = {.keep_shared = true, .among = scene->model};
    size_t shown = elsewhere->count < ELSEWHERE_MOST ? elsewhere->count : ELSEWHERE_MOST;
    int word = 0;

    for (size_t i = 0; i < shown; i++) {
        int width = (int)strlen(elsewhere->of[i].word) + 2;

        word = width > word ? width : word;
        names_add(&names, elsewhere->of[i].name);
    }
    names_fit(&names, block->cells, label_room(block->label + word, block->width - 1));
    for (size_t i = 0; i < shown; i++) {
        char text[1100];

        snprintf(text, sizeof text, "%s, %s", names_shown(&names, elsewhere->of[i].name),
                 elsewhere->of[i].word);
        candidate_put(block, i == 0 ? "elsewhere" : "", ROLE_TEXT, text);
    }
    names_free(&names);
    if (elsewhere->count > ELSEWHERE_MOST) {
        char text[64];

        snprintf(text, sizeof text, "and %zu more", elsewhere->count - ELSEWHERE_MOST);
        candidate_put(block, "", ROLE_DIM, text);
    }
}

/* Its age, its watches, its watchers, and the other candidates of its session. */
static void put_neighbourhood(struct block *block, struct elsewhere *elsewhere, const struct scene *scene,
                              const struct election *election, const struct candidate *candidate)
{
    size_t place = election_position(election, candidate);
    const struct candidate *after =
        place + 1 < election->candidate_count ? election->candidates[place + 1] : NULL;
    char text[384], age[16], clock[32];

    int64_t created_us = summary_created_us(candidate);
    if (created_us)
        format_age(label_as_of(election, scene->now).wall_us - created_us, age, sizeof age);
    snprintf(text, sizeof text, "%s%s%s", created_us ? age : "?",
             candidate->joined_seen ? ", joined at " : ", joined unseen",
             candidate->joined_seen ? format_clock(candidate->joined.wall_us, clock, sizeof clock) : "");
    candidate_put(block, "age", ROLE_TEXT, text);
    put_neighbour(block, "predecessor", election_predecessor(election, candidate), "none: it is first");
    put_watches(block, election, candidate);
    put_neighbour(block, "successor", after, "none: it is last");
    candidate_put_watchers(block, election, candidate);
    find_elsewhere(elsewhere, scene, election, candidate->stat.owner);
    if (!candidate->known || candidate->stat.owner == 0) {
        candidate_put(block, "elsewhere", ROLE_DIM, candidate->known ? "none" : "?");
    } else if (elsewhere->count == 0) {
        snprintf(text, sizeof text, "%s no other election", cells_sign(block->cells, SIGN_DASH));
        candidate_put(block, "elsewhere", ROLE_DIM, text);
    }
    put_elsewhere(block, elsewhere, scene);
}

/* In two columns where they fit. Returns the lines used. */
static int draw_facts(struct candidate_view *view, struct cells *cells, int y, const struct scene *scene,
                      const struct election *election, const struct candidate *candidate)
{
    bool beside = cells->width >= FACTS_BESIDE;
    int half = cells->width >= 2 * FACTS_MOST ? FACTS_MOST : cells->width / 2 + 2;
    struct block left = {cells, STAT_X, y, beside ? LINE_LABEL - 1 : LINE_LABEL,
                         beside ? half - STAT_X - 1 : cells->width - STAT_X};
    struct block right;

    put_place(&left, scene, election, candidate);
    right = beside ? (struct block){cells, half, y, LINE_LABEL, cells->width - half} : left;
    put_neighbourhood(&right, &view->elsewhere, scene, election, candidate);
    return (right.y > left.y ? right.y : left.y) - y;
}

/* Returns the lines used: a long name has a line to itself, in full. */
static int candidate_draw_head(struct cells *cells, int y, const struct scene *scene,
                               const struct election *election, const struct candidate *candidate)
{
    bool leads = candidate == election->leader, stale = label_stale(election);
    bool is_long = cells_width(cells, candidate->name) > cells->width / 3;
    int x = STAT_X;
    char text[256], since[32];

    chain_put_gutter(cells, x, y, election, candidate);
    x += 2;
    if (is_long)
        name_of_candidate(cells, candidate->name, text, sizeof text);
    x += cells_put(cells, x, y, -1, ROLE_STRONG, is_long ? text : candidate->name) + 2;
    if (candidate->identity != NULL && x < cells->width)
        x += name_put(cells, x, y, label_room(x, cells->width - 32), leads ? ROLE_GOOD : ROLE_TEXT,
                      candidate->identity) +
             2;
    if (leads)
        snprintf(text, sizeof text, "%s for %s", label_leads(election),
                 label_since(cells, election, scene->now, 0, since, sizeof since));
    else
        snprintf(text, sizeof text, "waits as number %zu of %zu", election_position(election, candidate) + 1,
                 election->candidate_count);
    if (x < cells->width)
        x += cells_put(cells, x, y, -1, ROLE_TEXT, text) + 2;
    if (stale && x < cells->width)
        cells_put(cells, x, y, -1, ROLE_WARNING, label_badge(election, scene->now).word);
    if (is_long)
        cells_put(cells, STAT_X + 2, y + 1, -1, ROLE_DIM, candidate->name);
    return 1 + is_long;
}

static void choose_form(struct candidate_view *view, const struct candidate *candidate)
{
    if (view->form_chosen && data_form_fits(view->form, candidate->data, candidate->data_length))
        return;
    for (enum data_form form = 0; form < DATA_FORM_COUNT; form++) {
        if (data_form_fits(form, candidate->data, candidate->data_length)) {
            view->form = form;
            return;
        }
    }
}

/* Its data, as the caption says in which form, and below it the Stat: one text that scrolls. Returns the rows
   used. */
static int draw_rest(struct candidate_view *view, struct cells *cells, int y, int rows,
                     const struct candidate *candidate)
{
    struct data_lines lines = {0};
    char caption[128], part[48] = "", note[96] = "";
    size_t length = candidate->data_length, data, total;
    bool empty = !candidate->known || candidate->stat.data_length == 0 || candidate->data == NULL;

    if (rows < 2) {
        list_begin(&view->data, 0, 0);
        return 0;
    }
    snprintf(caption, sizeof caption, "data");
    if (!candidate->known || (empty && candidate->stat.data_length > 0)) {
        snprintf(note, sizeof note, "%s",
                 candidate->denied ? "? permission denied with these credentials" : "? not read yet");
    } else if (empty) {
        snprintf(note, sizeof note, "%s none: 0 bytes", cells_sign(cells, SIGN_DASH));
    } else {
        choose_form(view, candidate);
        data_lines_make(&lines, view->form, candidate->data, length, cells->width - 2 * STAT_X, cells->ascii);
        if (length < (size_t)candidate->stat.data_length)
            snprintf(part, sizeof part, "the first %zu of ", length);
        snprintf(caption, sizeof caption, "data as %s, %s%" PRId32 " byte%s; Left and Right: other forms",
                 data_form_word(view->form), part, candidate->stat.data_length,
                 candidate->stat.data_length == 1 ? "" : "s");
    }
    cells_rule(cells, 0, y, cells->width, caption);
    data = empty ? 1 : lines.count;
    total = data + 1 + (candidate->known ? (size_t)stat_lines(cells) : 1);
    list_begin_scrolled(&view->data, total, (size_t)rows - 1);
    for (size_t i = 0; i < view->data.rows && view->data.top + i < total; i++) {
        size_t line = view->data.top + i;
        int row = y + 1 + (int)i;

        if (line < data && empty)
            cells_put(cells, STAT_X, row, -1, ROLE_DIM, note);
        else if (line < data)
            cells_put_bytes(cells, STAT_X, row, -1, ROLE_TEXT, lines.at[line].text, lines.at[line].length);
        else if (line == data)
            cells_rule(cells, 0, row, cells->width, "Stat");
        else if (candidate->known)
            draw_stat_line(cells, row, (int)(line - data - 1), &candidate->stat);
        else
            cells_put(cells, STAT_X, row, -1, ROLE_WARNING,
                      candidate->denied ? "? permission denied" : "? not read yet");
    }
    if (total > view->data.rows)
        cells_printf(cells, cells->width - 24, y, 22, ROLE_DIM, " line %zu of %zu ", view->data.top + 1,
                     total);
    data_lines_release(&lines);
    return total < view->data.rows ? 1 + (int)total : rows;
}

static void draw_left(const struct candidate_view *view, const struct scene *scene, struct cells *cells)
{
    int airy = cells->height >= 18;

    cells_printf(cells, STAT_X, airy, -1, ROLE_WARNING, "%s is no longer a candidate here.", view->name);
    cells_printf(cells, STAT_X, airy + 1, -1, ROLE_DIM, "%s goes back.", key_first(ACTION_BACK));
    event_pane_draw(cells, airy + 3, cells->height - airy - 3, scene, view->view.cluster, view->view.path);
}

static void candidate_draw(struct view *self, const struct scene *scene, struct cells *cells)
{
    struct candidate_view *view = (struct candidate_view *)self;
    const struct election *election = view_election(self, scene);
    const struct candidate *candidate = election != NULL ? election_find(election, view->name) : NULL;
    int airy = cells->height >= 20;
    int y = airy, found, facts;

    if (candidate == NULL) {
        draw_left(view, scene, cells);
        return;
    }
    y += candidate_draw_head(cells, y, scene, election, candidate);
    y += cluster_lines_draw(cells, STAT_X, y, 1, scene, self->cluster);
    y += airy;
    /* The problem and the remedy precede the facts, which have a line each. */
    found = finding_pane_rows(cells, election, candidate->name);
    facts = cells->width >= FACTS_BESIDE ? 8 : 14;
    if (found > cells->height - y - facts - 3)
        found = cells->height - y - facts - 3;
    if (found > 1) {
        finding_pane_draw(cells, y, found, scene->now, election, candidate->name);
        y += found;
    }
    cells_rule(cells, 0, y, cells->width, "facts");
    y++;
    y += draw_facts(view, cells, y, scene, election, candidate);
    y += airy && cells->height > 30;
    y += draw_rest(view, cells, y, cells->height - y, candidate);
    if (cells->height - y >= EVENTS_LEAST)
        event_pane_draw(cells, y + 1, cells->height - y - 2, scene, self->cluster, self->path);
}

static enum view_result turn_form(struct candidate_view *view, const struct scene *scene, bool forwards)
{
    const struct election *election = view_election(&view->view, scene);
    const struct candidate *candidate = election != NULL ? election_find(election, view->name) : NULL;

    if (candidate == NULL || candidate->data == NULL)
        return VIEW_IGNORED;
    do
        view->form = (view->form + (forwards ? 1U : DATA_FORM_COUNT - 1U)) % DATA_FORM_COUNT;
    while (!data_form_fits(view->form, candidate->data, candidate->data_length));
    view->form_chosen = true;
    view->data.top = 0;
    return VIEW_DONE;
}

static enum view_result explain(const struct candidate_view *view, const struct scene *scene,
                                struct view **next)
{
    const struct election *election = view_election(&view->view, scene);
    const struct finding *finding = election != NULL ? finding_of(election, view->name) : NULL;

    return view_open(next, finding != NULL ? explanations_view_new(finding) : NULL);
}

/* The host of its connection, for a filter; NULL: it is not known. */
static const char *candidate_host(const struct view *self, const struct scene *scene, char *filter,
                                  size_t size)
{
    const struct candidate_view *view = (const struct candidate_view *)self;
    const struct election *election = view_election(self, scene);
    const struct candidate *candidate = election != NULL ? election_find(election, view->name) : NULL;
    const struct client_session *session = candidate != NULL ? candidate_client(candidate) : NULL;
    const char *port = session != NULL && session->address != NULL ? strrchr(session->address, ':') : NULL;

    if (port == NULL)
        return NULL;
    snprintf(filter, size, "client:%.*s", (int)(port - session->address), session->address);
    return filter;
}

static bool candidate_heeds(const struct view *self, const struct scene *scene, enum action action)
{
    char filter[160];

    return action != ACTION_OPEN || candidate_host(self, scene, filter, sizeof filter) != NULL;
}

static const char *candidate_footer_word(const struct view *self, const struct scene *scene,
                                         enum action action)
{
    (void)self;
    (void)scene;
    return action == ACTION_OPEN ? "same host" : NULL;
}

static enum view_result candidate_action(struct view *self, const struct scene *scene, enum action action,
                                         struct view **next)
{
    struct candidate_view *view = (struct candidate_view *)self;
    char filter[160];

    if (list_scroll(&view->data, action))
        return VIEW_DONE;
    switch (action) {
    case ACTION_OPEN:
        if (candidate_host(self, scene, filter, sizeof filter) == NULL)
            return VIEW_IGNORED;
        return view_open(next, overview_view_filtered(filter));
    case ACTION_EXPLAIN:
        return explain(view, scene, next);
    case ACTION_HISTORY:
        return view_open(next, history_view_new(self->cluster, self->path));
    case ACTION_LEFT:
    case ACTION_RIGHT:
        return turn_form(view, scene, action == ACTION_RIGHT);
    default:
        return VIEW_IGNORED;
    }
}

static void candidate_title(struct view *self, const struct scene *scene, struct cells *cells, int x,
                            int room)
{
    const struct candidate_view *view = (const struct candidate_view *)self;

    label_put_crumbs(cells, x, room, scene->model, self->cluster, view_name(self, scene), view->name);
}

static const char *candidate_path(struct view *self, const struct scene *scene, char *buffer, size_t size)
{
    const struct candidate_view *view = (const struct candidate_view *)self;
    const struct election *election = view_election(self, scene);

    return label_candidate_path(election, self->path, view->name, buffer, size) ? self->cluster : NULL;
}

static void candidate_release(struct view *self)
{
    struct candidate_view *view = (struct candidate_view *)self;

    list_release(&view->data);
    free(view->name);
}

static const struct finding *candidate_finding(struct view *self, const struct scene *scene,
                                               const struct election **about)
{
    struct candidate_view *view = (struct candidate_view *)self;

    *about = view_election(self, scene);
    return *about != NULL ? finding_of(*about, view->name) : NULL;
}

static const struct view_ops ops = {
    .name = "candidate",
    .draw = candidate_draw,
    .action = candidate_action,
    .title = candidate_title,
    .path = candidate_path,
    .finding = candidate_finding,
    .release = candidate_release,
    .answers = VIEW_MOVES | ACTION_BIT(ACTION_LEFT) | ACTION_BIT(ACTION_RIGHT) | ACTION_BIT(ACTION_BACK) |
               ACTION_BIT(ACTION_HISTORY) | ACTION_BIT(ACTION_OPEN),
    .heeds = candidate_heeds,
    .word = candidate_footer_word,
};

struct view *candidate_view_new(const char *cluster, const char *path, const char *candidate)
{
    struct candidate_view *view = view_new(&ops, sizeof *view, cluster, path);
    view->name = xstrdup(candidate);
    return &view->view;
}
