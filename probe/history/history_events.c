/* The events between two moments, and where the next one is. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/history/history.h"
#include "probe/history/reader.h"
#include "probe/history/sql.h"

/* ---- where a time is among the events ---- */

static int64_t event_time(struct history *h, int64_t id, bool *there)
{
    const struct sql_value from = sql_of(id);
    sqlite3_stmt *statement =
        sql_select(h->db, "SELECT at_us FROM event WHERE id >= ? ORDER BY id LIMIT 1", &from);
    *there = sql_next(statement, 0) == SQLITE_ROW;
    int64_t at_us = *there ? sql_number(statement, 0) : 0;
    sqlite3_finalize(statement);
    return at_us;
}

void reader_events_of(const struct history *h, size_t stretch, int64_t *first, int64_t *end)
{
    *first = h->chunks[h->stretches[stretch].first_chunk].first_event;
    *end = stretch + 1 < h->stretch_count ? h->chunks[h->stretches[stretch + 1].first_chunk].first_event
                                          : INT64_MAX;
}

/* The first event of the stretch that is not before at_us, but for disorder. */
static int64_t first_event(struct history *h, size_t stretch, int64_t at_us)
{
    int64_t from, to, low, high;
    reader_events_of(h, stretch, &from, &to);
    /* The chunk narrows it down. */
    low = from;
    high = to;
    for (size_t i = h->stretches[stretch].first_chunk; i < h->stretches[stretch].end_chunk; i++) {
        if (h->chunks[i].from_us < at_us)
            low = h->chunks[i].first_event;
        else if (high == to)
            high = h->chunks[i].first_event;
    }
    if (high == INT64_MAX)
        sql_ask(h->db, "SELECT max(id) + 1 FROM event", &high);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        bool there;
        int64_t us = event_time(h, middle, &there);
        if (there && us < at_us)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- one event ---- */

static const char event_columns[] =
    "SELECT e.id, e.at_us, e.kind, e.cluster, e.election, n.text, i.text, o.text, oi.text, e.position, "
    "e.gap_us, e.after_us, e.joined, e.gone, e.state, e.detail, f.code, f.severity, f.certainty, "
    "f.candidates, f.evidence, f.advice, f.since_us, f.unconfirmed_us, f.subject, f.one_look FROM event e "
    "LEFT JOIN name n ON n.id = e.candidate LEFT JOIN name i ON i.id = e.identity LEFT JOIN name o ON o.id = "
    "e.other LEFT JOIN name oi ON oi.id = e.other_identity LEFT JOIN finding f ON f.event = e.id";

/* A session. */
#define SUBJECT 24
/* Of a finding about a whole crowd all names. */
#define CANDIDATES 19
#define UNBOUNDED (1u << SUBJECT | 1u << CANDIDATES)

struct event_row {
    struct event event;
    struct finding finding; /* owns its texts */
    struct recipe recipe;   /* as it was when the election was seen */
    struct failover failover;
};

static int history_events_kind_of(const struct history *h, int64_t id)
{
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        if (h->kind_ids[kind] == id)
            return kind;
    return -1;
}

/* From a list as JSON. */
static void read_names(const char *text, struct finding *finding)
{
    json_t *names = text ? json_loads(text, 0, NULL) : NULL;
    size_t count = json_array_size(names);
    finding->candidates = xcalloc(count + 1, sizeof *finding->candidates);
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        finding->candidates[finding->candidate_count++] = xstrdup(name ? name : "");
    }
    json_decref(names);
}

/* False: of a newer program. */
static bool read_finding(sqlite3_stmt *statement, struct finding *f)
{
    const char *code = sql_text(statement, 16);
    if (!code || finding_code_of(code) == FINDING_COUNT)
        return false;
    f->code = finding_code_of(code);
    f->severity = severity_find(sql_text(statement, 17));
    f->certainty = certainty_find(sql_text(statement, 18));
    f->evidence = sql_copy(statement, 20);
    f->advice = sql_copy(statement, 21);
    f->since = (struct moment){sql_number(statement, 22), sql_number(statement, 22)};
    int64_t unconfirmed_us = sql_number(statement, 23);
    f->unconfirmed_since = (struct moment){unconfirmed_us, unconfirmed_us};
    f->subject = (uint64_t)sqlite3_column_int64(statement, SUBJECT);
    f->one_poll = sqlite3_column_int(statement, 25) != 0;
    read_names(sql_text(statement, 19), f);
    return true;
}

/* The row has the cluster, finding or failover that its kind needs. */
static bool history_events_is_whole(const struct event *event)
{
    bool finding = event->kind == EVENT_FINDING_RAISED || event->kind == EVENT_FINDING_CLEARED ||
                   event->kind == EVENT_FINDING_MUTED;
    return event->cluster && (event->finding || !finding) &&
           (event->failover || event->kind != EVENT_FAILOVER);
}

static bool read_event(struct history *h, sqlite3_stmt *statement, struct event_row *row)
{
    int kind = history_events_kind_of(h, sql_number(statement, 2));
    struct event *event = &row->event;
    *row = (struct event_row){.event = {.kind = (enum event_kind)kind, .after_us = -1}};
    if (kind < 0)
        return false; /* of a newer program */
    int64_t at_us = sql_number(statement, 1);
    event->at = (struct moment){at_us, at_us};
    if (sqlite3_column_type(statement, 4) != SQLITE_NULL) {
        struct stub *stub = reader_stub(h, sql_number(statement, 4));
        if (!stub)
            return false;
        event->election = stub->election;
        event->cluster = stub->election->cluster;
    } else {
        for (size_t i = 0; i < h->cluster_count; i++)
            if (h->cluster_ids[i] == sql_number(statement, 3))
                event->cluster = &h->clusters[i];
    }
    event->candidate = sql_text(statement, 5);
    event->identity = sql_text(statement, 6);
    event->from = sql_text(statement, 7);
    event->from_identity = sql_text(statement, 8);
    event->position = (size_t)sql_number(statement, 9);
    event->gap_us = sql_number(statement, 10);
    if (sqlite3_column_type(statement, 11) != SQLITE_NULL)
        event->after_us = sql_number(statement, 11);
    event->unseen_joined = (uint64_t)sql_number(statement, 12);
    event->unseen_left = (uint64_t)sql_number(statement, 13);
    event->connection = sql_text(statement, 14);
    event->detail = sql_text(statement, 15);
    if (read_finding(statement, &row->finding))
        event->finding = &row->finding;
    if (event->kind == EVENT_FAILOVER &&
        reader_failover(h, sql_number(statement, 0), sql_number(statement, 4), at_us + DISORDER_US,
                        &row->failover))
        event->failover = &row->failover;
    return history_events_is_whole(event);
}

static void free_event(struct event_row *row)
{
    finding_release(&row->finding);
    if (row->event.failover)
        failover_release(&row->failover);
}

/* An event of the beginning or the end of an election carries the recipe of that time. */
static bool hand_out(struct event_row *row, history_event_fn fn, void *context)
{
    struct event *event = &row->event;
    struct election seen;
    bool carries = event->kind == EVENT_ELECTION_SEEN || event->kind == EVENT_ELECTION_GONE;
    if (carries && event->election) {
        seen = *event->election;
        seen.recipe = event->detail ? &row->recipe : NULL;
        if (seen.recipe)
            row->recipe = (struct recipe){.name = event->detail, .title = recipe_title(event->detail)};
        event->election = &seen;
        event->detail = NULL;
    }
    return fn(context, event);
}

static bool asked_for(const struct history_filter *filter, const struct election *election)
{
    return strcmp(election->path, filter->election) == 0 &&
           (!filter->cluster || strcmp(election->cluster->name, filter->cluster) == 0);
}

static bool event_fits(const struct history_filter *filter, const struct event *event)
{
    if (!filter)
        return true;
    if (filter->events && !(filter->events & (UINT64_C(1) << event->kind)))
        return false;
    if (filter->cluster && (!event->cluster || strcmp(event->cluster->name, filter->cluster) != 0))
        return false;
    return !filter->election || (event->election && asked_for(filter, event->election));
}

/* The filter as far as SQL can tell, so that little is read in vain. */
static void add_conditions(struct history *h, struct text *sql, const struct history_filter *filter)
{
    if (filter && filter->events) {
        text_add(sql, " AND e.kind IN (0");
        for (int kind = 0; kind < EVENT_KINDS; kind++)
            if (filter->events & (UINT64_C(1) << kind))
                text_printf(sql, ", %lld", (long long)h->kind_ids[kind]);
        text_add(sql, ")");
    }
    if (filter && filter->election) {
        size_t found = 0;
        struct text ids = {0};
        for (size_t i = 0; i < h->stub_count; i++)
            if (asked_for(filter, h->stubs[i].election))
                text_printf(&ids, "%s%lld", found++ ? ", " : "", (long long)h->stubs[i].id);
        char *list = text_take(&ids);
        /* A single election has an index with its events in order; those of several would have to be sorted.
         */
        text_printf(sql, found == 1 ? " AND e.election = %s" : " AND +e.election IN (%s)", list);
        free(list);
    }
}

static sqlite3_stmt *events_of(struct history *h, const struct history_filter *filter, int64_t first,
                               int64_t end, bool forward)
{
    const struct sql_value ids[] = {sql_of(first), sql_of(end)};
    struct text sql = {0};
    text_add(&sql, event_columns);
    text_add(&sql, " WHERE e.id >= ? AND e.id < ?");
    add_conditions(h, &sql, filter);
    text_add(&sql, forward ? " ORDER BY e.id" : " ORDER BY e.id DESC");
    char *text = text_take(&sql);
    sqlite3_stmt *statement = sql_select(h->db, text, ids);
    free(text);
    return statement;
}

/* ---- for readers ---- */

static int64_t saturated(int64_t a, int64_t b)
{
    return b > 0 && a > INT64_MAX - b ? INT64_MAX : b < 0 && a < INT64_MIN - b ? INT64_MIN : a + b;
}

/* False: no event of these kinds was ever recorded. */
static bool has_kinds(const struct history *h, const struct history_filter *filter)
{
    if (!filter || !filter->events)
        return true;
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        if ((filter->events & (UINT64_C(1) << kind)) && h->kind_ids[kind])
            return true;
    return false;
}

bool history_events(struct history *h, const struct history_filter *filter, int64_t from_us, int64_t to_us,
                    history_event_fn fn, void *context, char **error)
{
    if (!reader_begin(h, error))
        return false;
    bool goes_on = true, fine = true;
    for (size_t s = has_kinds(h, filter) ? 0 : h->stretch_count; s < h->stretch_count && goes_on && fine;
         s++) {
        const struct stretch_row *stretch = &h->stretches[s];
        if (saturated(stretch->from_us, -DISORDER_US) >= to_us ||
            saturated(stretch->to_us, DISORDER_US) < from_us)
            continue;
        int64_t first, end;
        reader_events_of(h, s, &first, &end);
        first = first_event(h, s, saturated(from_us, -DISORDER_US));
        sqlite3_stmt *statement = events_of(h, filter, first, end, true);
        int code = SQLITE_ERROR;
        while (goes_on && (code = sql_next(statement, UNBOUNDED)) == SQLITE_ROW) {
            int64_t at_us = sql_number(statement, 1);
            if (at_us >= saturated(to_us, DISORDER_US)) {
                code = SQLITE_DONE;
                break;
            }
            struct event_row row;
            if (at_us < from_us || at_us >= to_us)
                continue;
            if (read_event(h, statement, &row) && event_fits(filter, &row.event))
                goes_on = hand_out(&row, fn, context);
            free_event(&row);
        }
        fine = !goes_on || code == SQLITE_DONE;
        if (!fine)
            reader_failed(h, error);
        sqlite3_finalize(statement);
    }
    reader_end(h);
    return fine;
}

/* The nearest one in this stretch; beyond: after or before at_us, else whichever comes first. */
static bool step_in(struct history *h, const struct history_filter *filter, size_t s, bool beyond,
                    int64_t at_us, bool forward, int64_t *found_us)
{
    int64_t first, end;
    bool found = false;
    reader_events_of(h, s, &first, &end);
    if (beyond && forward)
        first = first_event(h, s, saturated(at_us, -DISORDER_US));
    else if (beyond)
        end = first_event(h, s, saturated(at_us, DISORDER_US));
    sqlite3_stmt *statement = events_of(h, filter, first, end, forward);
    while (sql_next(statement, UNBOUNDED) == SQLITE_ROW) {
        int64_t us = sql_number(statement, 1);
        if (found &&
            (forward ? us > saturated(*found_us, DISORDER_US) : us < saturated(*found_us, -DISORDER_US)))
            break;
        if (beyond && (forward ? us <= at_us : us >= at_us))
            continue;
        if (found && (forward ? us >= *found_us : us <= *found_us))
            continue;
        struct event_row row;
        if (read_event(h, statement, &row) && event_fits(filter, &row.event)) {
            found = true;
            *found_us = us;
        }
        free_event(&row);
    }
    sqlite3_finalize(statement);
    return found;
}

bool history_step(struct history *h, const struct history_filter *filter, int64_t from_us, bool forward,
                  int64_t *at_us)
{
    char *error = NULL;
    bool begun = reader_begin(h, &error), found = false;
    free(error);
    if (!begun)
        return false;
    size_t s = reader_stretch_at(h, from_us);
    if (s == SIZE_MAX) /* before everything */
        s = forward ? 0 : h->stretch_count;
    bool beyond = true;
    while (s < h->stretch_count && !found) {
        found = step_in(h, filter, s, beyond, from_us, forward, at_us);
        if (found)
            reader_point(h, *at_us, s);
        s = forward ? s + 1 : s - 1; /* below 0 it is beyond the count */
        beyond = false;
    }
    reader_end(h);
    return found;
}
