#include "probe/history/reader.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/history/history.h"
#include "probe/history/sql.h"

/* A later recording shows its time instead of the earlier owner of that time. */
static void owners_take_over(struct owners *owners, struct owner *scratch, const struct owner *later)
{
    size_t count = 0;
    bool placed = false;
    for (size_t i = 0; i < owners->count; i++) {
        struct owner before = owners->of[i], after = before;
        before.to_us = before.to_us < later->from_us ? before.to_us : later->from_us;
        after.from_us = after.from_us > later->to_us ? after.from_us : later->to_us;
        if (before.from_us < before.to_us)
            scratch[count++] = before;
        if (after.from_us < after.to_us) {
            if (!placed)
                scratch[count++] = *later;
            placed = true;
            scratch[count++] = after;
        }
    }
    if (!placed)
        scratch[count++] = *later;
    memcpy(owners->of, scratch, count * sizeof *scratch);
    owners->count = count;
}

void owners_find(const struct history *h, struct owners *owners)
{
    size_t room = 2 * h->stretch_count + 1; /* each adds an own one, and parts another at most */
    struct owner *scratch = NULL;
    owners->of = xcalloc(room, sizeof *owners->of);
    for (size_t s = 0; s < h->stretch_count; s++) {
        struct owner later = {h->stretches[s].from_us, h->stretches[s].to_us, s};
        if (later.to_us <= later.from_us)
            continue;
        if (owners->count == 0 || later.from_us >= owners->of[owners->count - 1].to_us) {
            owners->of[owners->count++] = later;
            continue;
        }
        owners->jump = true;
        if (!scratch)
            scratch = xcalloc(room, sizeof *scratch);
        owners_take_over(owners, scratch, &later);
    }
    free(scratch);
}

void owners_free(struct owners *owners)
{
    free(owners->of);
    *owners = (struct owners){0};
}

/* Who led, along the clock on the wall. */

/* A part of one tenure, in one stretch. */
struct piece {
    struct history_stretch reported;
    int64_t row; /* the tenure */
    char *name, *identity;
};

struct tenure_line {
    const struct history *h;
    int64_t from_us, to_us;
    struct owners owners;
    struct piece *pieces;
    size_t piece_count, piece_room;
};

/* ---- tenures ---- */

/* A row; its successor's beginning shows in which stretch it ended. */
struct tenure_read {
    int64_t row, stretch;
    enum stretch_kind kind;
    char *name, *identity;
    uint64_t session;
    int64_t from_us, to_us; /* each as the clock then had it */
    bool from_exact, ended;
};

#define SESSION_COLUMN 8
static struct tenure_read read_tenure(sqlite3_stmt *statement)
{
    const char *kind = sql_text(statement, 1);
    bool gap = kind && strcmp(kind, "gap") == 0, led = kind && strcmp(kind, "led") == 0;
    return (struct tenure_read){.row = sql_number(statement, 0),
                                .kind = gap   ? STRETCH_GAP
                                        : led ? STRETCH_LED
                                              : STRETCH_VACANT,
                                .name = text_copy(sql_text(statement, 2)),
                                .identity = text_copy(sql_text(statement, 3)),
                                .from_us = sql_number(statement, 4),
                                .to_us = sql_number(statement, 5),
                                .ended = sqlite3_column_type(statement, 5) != SQLITE_NULL,
                                .from_exact = sqlite3_column_int(statement, 6) != 0,
                                .stretch = sql_number(statement, 7),
                                .session = (uint64_t)sqlite3_column_int64(statement, SESSION_COLUMN)};
}

static void free_tenure(struct tenure_read *tenure)
{
    free(tenure->name);
    free(tenure->identity);
    *tenure = (struct tenure_read){0};
}

/* The stretch of that number, else the first one after it: it was forgotten as too old. */
static size_t stretch_of(const struct history *h, int64_t id)
{
    size_t from = 0, to = h->stretch_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (h->stretches[middle].id < id)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* In which stretch it ended; an end that no clock of its recorder showed is that of the last one. */
static size_t last_stretch(const struct history *h, const struct tenure_read *tenure,
                           const struct tenure_read *next, size_t first)
{
    size_t run = first; /* no other recorder continues it */
    while (run + 1 < h->stretch_count && h->stretches[run + 1].goes_on)
        run++;
    bool followed = next && (!tenure->ended || next->from_us == tenure->to_us);
    size_t by_next = followed ? stretch_of(h, next->stretch) : SIZE_MAX;
    if (by_next <= run)
        return by_next;
    for (size_t s = first; tenure->ended && s < run; s++) {
        int64_t from_us = s == first ? tenure->from_us : h->stretches[s].from_us;
        if (tenure->to_us >= from_us && tenure->to_us <= h->stretches[s].to_us)
            return s;
    }
    return run;
}

/* A time limited to that stretch. Rows written just after the clock was set carry times of
 * the clock before. */
static int64_t time_in(const struct stretch_row *stretch, int64_t us)
{
    return us > stretch->to_us + DISORDER_US ? stretch->from_us : us;
}

static void add_piece(struct tenure_line *line, const struct tenure_read *tenure, int64_t from_us,
                      int64_t to_us, bool exact)
{
    room_for_one(&line->pieces, line->piece_count, &line->piece_room, sizeof *line->pieces);
    line->pieces[line->piece_count++] = (struct piece){.reported = {.kind = tenure->kind,
                                                                    .from_us = from_us,
                                                                    .to_us = to_us,
                                                                    .from_exact = exact,
                                                                    .session = tenure->session},
                                                       .row = tenure->row,
                                                       .name = text_copy(tenure->name),
                                                       .identity = text_copy(tenure->identity)};
}

/* As far as the stretch shows that time. */
static void add_shown(struct tenure_line *line, const struct tenure_read *tenure, size_t stretch,
                      int64_t from_us, int64_t to_us, bool exact)
{
    size_t low = 0, high = line->owners.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (line->owners.of[middle].to_us <= from_us)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < line->owners.count && line->owners.of[i].from_us < to_us; i++) {
        const struct owner *owner = &line->owners.of[i];
        if (owner->stretch != stretch)
            continue;
        int64_t begin_us = from_us > owner->from_us ? from_us : owner->from_us;
        int64_t end_us = to_us < owner->to_us ? to_us : owner->to_us;
        if (begin_us < end_us)
            add_piece(line, tenure, begin_us, end_us, exact && begin_us == from_us);
    }
}

/* Its part in each stretch that it covers: cut at the end of one, resumed in the next. */
static void add_tenure(struct tenure_line *line, const struct tenure_read *tenure,
                       const struct tenure_read *next)
{
    const struct history *h = line->h;
    size_t first = stretch_of(h, tenure->stretch);
    if (first == h->stretch_count)
        return;
    size_t last = last_stretch(h, tenure, next, first);
    for (size_t s = first; s <= last; s++) {
        const struct stretch_row *stretch = &h->stretches[s];
        bool begins = s == first && stretch->id == tenure->stretch;
        int64_t from_us = begins ? time_in(stretch, tenure->from_us) : stretch->from_us,
                to_us = stretch->to_us;
        bool exact = begins && tenure->from_exact && from_us == tenure->from_us;
        /* For the time before a recorder began, an earlier recorder's rows are better. */
        if (s > 0 && from_us < stretch->from_us) {
            from_us = stretch->from_us;
            exact = false;
        }
        if (s == 0 && !begins)
            from_us = tenure->from_us;
        if (s == last && (tenure->ended || (next && stretch->id == next->stretch)))
            to_us = time_in(stretch, tenure->ended ? tenure->to_us : next->from_us);
        add_shown(line, tenure, s, from_us, to_us, exact);
    }
}

/* ---- one and the same leader ---- */

/* The beginning of this one was not seen: it goes on leading, after a gap at most. */
static bool leads_on(const struct piece *before, const struct piece *piece)
{
    return before && before->name && piece->name && !piece->reported.from_exact &&
           strcmp(before->name, piece->name) == 0;
}

static void share_identity(struct piece *a, struct piece *b)
{
    if (!a->identity == !b->identity)
        return;
    struct piece *without = a->identity ? b : a;
    without->identity = xstrdup(a->identity ? a->identity : b->identity);
}

/* A recorder may have ended before it could read who it is that leads, and another one have read it. */
static void share_identities(struct tenure_line *line)
{
    struct piece *before = NULL;
    for (size_t i = 0; i < line->piece_count; i++) {
        struct piece *piece = &line->pieces[i];
        if (leads_on(before, piece))
            share_identity(before, piece);
        before = piece->reported.kind == STRETCH_GAP ? before : piece;
    }
    before = NULL;
    for (size_t i = line->piece_count; i-- > 0;) {
        struct piece *piece = &line->pieces[i];
        if (before && leads_on(piece, before))
            share_identity(piece, before);
        before = piece->reported.kind == STRETCH_GAP ? before : piece;
    }
}

/* ---- the line ---- */

static int by_time(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->reported.from_us != y->reported.from_us)
        return x->reported.from_us < y->reported.from_us ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static bool report_clipped(const struct tenure_line *line, struct history_stretch reported,
                           history_stretch_fn fn, void *context)
{
    if (reported.from_us < line->from_us) {
        reported.from_us = line->from_us;
        reported.from_exact = false;
    }
    reported.to_us = reported.to_us < line->to_us ? reported.to_us : line->to_us;
    return reported.to_us <= reported.from_us || fn(context, &reported);
}

static void history_line_describe(const struct tenure_line *line, history_stretch_fn fn, void *context)
{
    int64_t until_us = INT64_MIN;
    bool goes_on = true;
    for (size_t i = 0; i < line->piece_count && goes_on; i++) {
        const struct piece *piece = &line->pieces[i];
        struct history_stretch reported = piece->reported;
        reported.name = piece->name;
        reported.identity = piece->identity;
        /* The clock was set by less than was recorded: it goes on where another stretch begins to show it. */
        while (i + 1 < line->piece_count && line->pieces[i + 1].row == piece->row &&
               line->pieces[i + 1].reported.from_us <= reported.to_us)
            reported.to_us = line->pieces[++i].reported.to_us;
        if (until_us != INT64_MIN && reported.from_us > until_us) {
            struct history_stretch gap = {
                .kind = STRETCH_GAP, .from_us = until_us, .to_us = reported.from_us, .from_exact = true};
            goes_on = report_clipped(line, gap, fn, context);
        }
        if (reported.from_us < until_us) {
            reported.from_us = until_us;
            reported.from_exact = false;
        }
        if (reported.from_us < reported.to_us) {
            until_us = reported.to_us;
            goes_on = goes_on && report_clipped(line, reported, fn, context);
        }
    }
}

static int64_t election_id(const struct history *h, const char *cluster, const char *path)
{
    for (size_t i = 0; i < h->stub_count; i++)
        if (strcmp(h->stubs[i].election->path, path) == 0 &&
            (!cluster || strcmp(h->stubs[i].election->cluster->name, cluster) == 0))
            return h->stubs[i].id;
    return -1;
}

static bool read_tenures(struct tenure_line *line, sqlite3 *db, int64_t election)
{
    const struct sql_value values[] = {sql_of(election), sql_of(line->from_us), sql_of(line->to_us),
                                       sql_of(line->owners.jump)};
    struct tenure_read held = {0};
    int code;
    /* One before the first is needed, too: a gap may reach into the requested period. Where clocks jumped,
       times do not show where a tenure is stored. */
    sqlite3_stmt *statement = sql_select(
        db,
        "SELECT t.id, t.kind, n.text, i.text, t.from_us, t.to_us, t.from_exact, t.stretch, t.session FROM "
        "tenure t"
        " LEFT JOIN name n ON n.id = t.candidate LEFT JOIN name i ON i.id = t.identity"
        " WHERE t.election = ?1 AND (?4 OR (t.from_us < ?3 AND t.id >= coalesce((SELECT min(id) - 1 FROM "
        "tenure"
        " WHERE election = ?1 AND (to_us IS NULL OR to_us > ?2)), 0))) ORDER BY t.id",
        values);
    while ((code = sql_next(statement, 1u << SESSION_COLUMN)) == SQLITE_ROW) {
        struct tenure_read next = read_tenure(statement);
        if (held.row != 0)
            add_tenure(line, &held, &next);
        free_tenure(&held);
        held = next;
    }
    bool fine = code == SQLITE_DONE;
    if (fine && held.row != 0)
        add_tenure(line, &held, NULL);
    free_tenure(&held);
    sqlite3_finalize(statement);
    return fine;
}

bool history_stretches(struct history *h, const char *cluster, const char *election, int64_t from_us,
                       int64_t to_us, history_stretch_fn fn, void *context, char **error)
{
    if (!reader_begin(h, error))
        return false;
    struct tenure_line line = {.h = h, .from_us = from_us, .to_us = to_us};
    owners_find(h, &line.owners);
    /* A leader at the beginning of the recording may have led before; the recording does not know since when.
     */
    if (line.owners.count && line.owners.of[0].stretch == 0)
        line.owners.of[0].from_us = INT64_MIN;
    bool fine = read_tenures(&line, h->db, election_id(h, cluster, election));
    if (line.owners.jump && line.piece_count > 1)
        qsort(line.pieces, line.piece_count, sizeof *line.pieces, by_time);
    if (fine)
        share_identities(&line);
    if (fine)
        history_line_describe(&line, fn, context);
    else
        reader_failed(h, error);
    for (size_t i = 0; i < line.piece_count; i++) {
        free(line.pieces[i].name);
        free(line.pieces[i].identity);
    }
    free(line.pieces);
    owners_free(&line.owners);
    reader_end(h);
    return fine;
}
