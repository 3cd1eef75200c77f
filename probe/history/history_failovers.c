#include "probe/history/history.h"

#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/election/election.h"
#include "probe/history/reader.h"
#include "probe/history/sql.h"

static enum logged_fact_kind fact_kind_of(const char *word)
{
    enum logged_fact_kind kind = (enum logged_fact_kind)0;
    while (kind < FACT_KINDS && strcmp(word ? word : "", logged_fact_word(kind)) != 0)
        kind = (enum logged_fact_kind)(kind + 1);
    return kind;
}

/* zxid, zxid_to, session, owner */
#define ID_COLUMNS (1u << 2 | 1u << 3 | 1u << 4 | 1u << 5)

static struct logged_fact read_fact(sqlite3_stmt *statement)
{
    return (struct logged_fact){.kind = fact_kind_of(sql_text(statement, 0)),
                                .at = {.wall_us = sql_number(statement, 1)},
                                .zxid = sqlite3_column_int64(statement, 2),
                                .zxid_to = sqlite3_column_int64(statement, 3),
                                .session = (uint64_t)sqlite3_column_int64(statement, 4),
                                .owner = (uint64_t)sqlite3_column_int64(statement, 5),
                                .path = sql_text(statement, 6),
                                .timeout_ms = sqlite3_column_int(statement, 7),
                                .began_us = sql_number(statement, 8),
                                .back_us = sql_number(statement, 9)};
}

bool history_facts(struct history *h, int64_t from_us, int64_t to_us, history_fact_fn fn, void *context,
                   char **error)
{
    const struct sql_value period[] = {sql_of(from_us), sql_of(to_us)};
    int code;
    if (!reader_begin(h, error))
        return false;
    sqlite3_stmt *statement =
        sql_select(h->db,
                   "SELECT kind, at_us, zxid, zxid_to, session, owner, path, timeout_ms,"
                   " began_us, back_us FROM fact WHERE at_us >= ? AND at_us < ?"
                   " ORDER BY at_us, id",
                   period);
    while ((code = sql_next(statement, ID_COLUMNS)) == SQLITE_ROW) {
        struct logged_fact fact = read_fact(statement);
        if (fact.kind < FACT_KINDS && !fn(context, &fact)) {
            code = SQLITE_DONE;
            break;
        }
    }
    return reader_done(h, statement, code == SQLITE_DONE, error);
}

/* Failovers, as reported: who they are about is in the row of their event. */

#define FAILOVER_COLUMNS                                                                                     \
    "SELECT f.election, f.lost_us, f.elected_us, n.text, i.text, o.text, oi.text, f.cause, f.certainty,"     \
    " f.detection_low_us, f.detection_high_us, f.vacancy_low_us, f.vacancy_high_us, f.takeover_low_us,"      \
    " f.takeover_high_us, f.total_low_us, f.total_high_us, f.gap_us, f.mono_us, f.evidence, f.event,"        \
    " f.notified_us, f.reacted_us"
/* It was open when it was reported, and was reported again; or it is open, as who had followed never led. */
#define FAILOVER_LATEST                                                                                      \
    " AND NOT coalesce((SELECT f.vacancy_high_us IS NULL OR (g.vacancy_high_us IS NULL AND g.elected_us IS"  \
    " NULL) FROM failover g WHERE g.election = f.election AND g.lost_us = f.lost_us AND g.event > f.event"   \
    " ORDER BY g.event LIMIT 1), 0)"
#define FAILOVER_NAMES                                                                                       \
    " LEFT JOIN event e ON e.id = f.event LEFT JOIN name n ON n.id = e.candidate LEFT JOIN name i ON i.id "  \
    "= "                                                                                                     \
    "e.identity LEFT JOIN name o ON o.id = e.other LEFT JOIN name oi ON oi.id = e.other_identity"

/* Its numbers, which are read within bounds. */
#define FAILOVER_NUMBERS (7u | 0x3ffu << 9 | 7u << 20)

static enum failover_cause history_failovers_cause_of(const char *word)
{
    unsigned cause = 0;
    while (word && cause < CAUSE_COUNT && strcmp(failover_cause_word((enum failover_cause)cause), word) != 0)
        cause++;
    return word && cause < CAUSE_COUNT ? (enum failover_cause)cause : CAUSE_UNKNOWN;
}

static char *own_text(sqlite3_stmt *statement, int i)
{
    return text_copy(sql_text(statement, i));
}

static void read_failover(sqlite3_stmt *statement, struct failover *f)
{
    int64_t lost_us = sql_number(statement, 1), mono_us = sql_number(statement, 18);
    *f = (struct failover){
        .to = own_text(statement, 3),
        .to_identity = own_text(statement, 4),
        .from = own_text(statement, 5),
        .from_identity = own_text(statement, 6),
        .lost_at = {mono_us, lost_us},
        .cause = history_failovers_cause_of(sql_text(statement, 7)),
        .cause_certainty = certainty_find(sql_text(statement, 8)),
        .detection = sql_span(statement, 9),
        .vacancy = sql_span(statement, 11),
        .takeover = sql_span(statement, 13),
        .total = sql_span(statement, 15),
        .gap_us = sql_number(statement, 17),
        .evidence = own_text(statement, 19),
        .notified_us = sql_number(statement, 21),
        .reacted_us = sql_number(statement, 22),
    };
    if (sqlite3_column_type(statement, 2) != SQLITE_NULL) {
        int64_t elected_us = sql_number(statement, 2);
        f->elected_at = (struct moment){mono_us + (elected_us - lost_us), elected_us};
    }
}

bool reader_failover(struct history *h, int64_t event, int64_t election, int64_t at_us, struct failover *f)
{
    const struct sql_value key[] = {sql_of(election), sql_of(event), sql_of(at_us)};
    sqlite3_stmt *statement =
        sql_select(h->db,
                   FAILOVER_COLUMNS " FROM failover f" FAILOVER_NAMES
                                    " WHERE f.election = ? AND f.event = ? AND f.lost_us <= ?"
                                    " ORDER BY f.lost_us DESC LIMIT 1",
                   key);
    bool found = sql_next(statement, FAILOVER_NUMBERS) == SQLITE_ROW;
    if (found)
        read_failover(statement, f);
    sqlite3_finalize(statement);
    return found;
}

static int by_loss(const void *a, const void *b)
{
    const struct failover *x = a, *y = b;
    return (x->lost_at.mono_us > y->lost_at.mono_us) - (x->lost_at.mono_us < y->lost_at.mono_us);
}

/* One that was open has two. */
#define ROWS_MOST (2 * (size_t)FAILOVERS_KEPT)

/* first_own: rows of earlier events have the monotonic clock of another recorder. */
static bool read_election(sqlite3_stmt *statement, struct election *e, struct moment now, int64_t first_own)
{
    struct failover latest[ROWS_MOST];
    int code;
    size_t count = 0;
    int64_t later_us = 0;
    bool later_open = false;
    while ((code = sql_next(statement, FAILOVER_NUMBERS)) == SQLITE_ROW && count < ROWS_MOST) {
        struct failover *f = &latest[count++];
        read_failover(statement, f);
        bool again = count > 1 && f->lost_at.wall_us == later_us && (later_open || failover_is_open(f));
        later_us = f->lost_at.wall_us;
        later_open = failover_is_open(f);
        if (again) { /* it was reported again */
            failover_release(f);
            count--;
            continue;
        }
        if (sql_number(statement, 20) >= first_own)
            continue;
        f->lost_at.mono_us = now.mono_us - (now.wall_us - f->lost_at.wall_us);
        if (f->elected_at.wall_us)
            f->elected_at.mono_us = now.mono_us - (now.wall_us - f->elected_at.wall_us);
    }
    sqlite3_reset(statement);
    qsort(latest, count, sizeof latest[0], by_loss);
    for (size_t i = 0; i < count; i++)
        election_take_failover(e, &latest[i]);
    return code == SQLITE_DONE || code == SQLITE_ROW;
}

/* The latest of each election that were reported by its moment, in the order of recording. */
bool reader_failovers(struct history *h, struct model *model, size_t stretch)
{
    int64_t first, end, first_own, last_us = model->now.wall_us;
    size_t own = stretch;
    while (own > 0 && h->stretches[own].goes_on)
        own--;
    reader_events_of(h, own, &first_own, &end);
    reader_events_of(h, stretch, &first, &end);
    for (size_t s = 0; s < stretch; s++) /* the clock may have been set back since */
        last_us = h->stretches[s].to_us > last_us ? h->stretches[s].to_us : last_us;
    sqlite3_stmt *statement = sql_select(
        h->db,
        FAILOVER_COLUMNS " FROM cluster c JOIN election l ON l.cluster = c.id JOIN failover f ON"
                         " f.election = l.id" FAILOVER_NAMES
                         " WHERE c.name = ?1 AND l.path = ?2 AND f.lost_us <= ?3 AND (f.event < ?4 OR"
                         " (f.event < ?5 AND e.at_us <= ?6)) ORDER BY f.lost_us DESC, f.event DESC LIMIT ?7",
        NULL);
    bool fine = statement != NULL;
    for (size_t c = 0; fine && c < model->cluster_count; c++)
        for (size_t i = 0; fine && i < model->clusters[c].election_count; i++) {
            struct election *e = model->clusters[c].elections[i];
            const struct sql_value values[] = {sql_of_text(model->clusters[c].name),
                                               sql_of_text(e->path),
                                               sql_of(last_us),
                                               sql_of(first),
                                               sql_of(end),
                                               sql_of(model->now.wall_us),
                                               sql_of(ROWS_MOST)};
            sql_bind(statement, values);
            fine = read_election(statement, e, model->now, first_own);
        }
    sqlite3_finalize(statement);
    return fine;
}

bool history_failovers(struct history *h, const struct history_filter *filter, int64_t from_us, int64_t to_us,
                       history_failover_fn fn, void *context, char **error)
{
    if (!reader_begin(h, error))
        return false;
    const struct sql_value values[] = {sql_of(from_us), sql_of(to_us),
                                       sql_of_text(filter ? filter->election : NULL)};
    sqlite3_stmt *statement =
        sql_select(h->db,
                   FAILOVER_COLUMNS " FROM election l CROSS JOIN failover f ON f.election = l.id"
                                    " AND f.lost_us >= ?1 AND f.lost_us < ?2" FAILOVER_LATEST FAILOVER_NAMES
                                    " WHERE ?3 IS NULL OR l.path = ?3 ORDER BY f.event",
                   values);
    bool goes_on = true;
    int code = SQLITE_DONE;
    while (goes_on && (code = sql_next(statement, 0)) == SQLITE_ROW) {
        struct stub *stub = reader_stub(h, sql_number(statement, 0));
        struct failover failover;
        if (!stub ||
            (filter && filter->cluster && strcmp(stub->election->cluster->name, filter->cluster) != 0))
            continue;
        read_failover(statement, &failover);
        goes_on = fn(context, stub->election, &failover);
        failover_release(&failover);
    }
    return reader_done(h, statement, !goes_on || code == SQLITE_DONE, error);
}

void history_stretch_count(struct change_counts *changes, const struct history_stretch *stretch)
{
    if (stretch->kind == STRETCH_GAP)
        changes_gap(changes);
    else if (stretch->kind == STRETCH_VACANT)
        changes_vacant(changes);
    else if (stretch->name)
        changes_led(changes, stretch->name, stretch->identity, stretch->session);
}

static bool history_count_stretch(void *context, const struct history_stretch *stretch)
{
    history_stretch_count(context, stretch);
    return true;
}

static bool history_count_failover(void *context, const struct election *election,
                                   const struct failover *failover)
{
    (void)election;
    changes_failover(context, failover);
    return true;
}

bool history_changes(struct history *h, const struct history_filter *filter, int64_t from_us, int64_t to_us,
                     size_t *count, char **error)
{
    struct change_counts changes = {0};
    bool fine = history_stretches(h, filter->cluster, filter->election, from_us, to_us, history_count_stretch,
                                  &changes, error) &&
                history_failovers(h, filter, from_us, to_us, history_count_failover, &changes, error);
    *count = changes_count(&changes);
    return fine;
}

/* Only the columns of durations: there may be millions of rows. */
bool history_statistics(struct history *h, const struct history_filter *filter, int64_t from_us,
                        int64_t to_us, struct failover_stats *stats, char **error)
{
    const struct sql_value values[] = {sql_of(from_us), sql_of(to_us), sql_of_text(filter->cluster),
                                       sql_of_text(filter->election)};
    struct failover_sample *samples = NULL;
    size_t count = 0, room = 0;
    int code;
    if (!reader_begin(h, error))
        return false;
    sqlite3_stmt *statement = sql_select(
        h->db,
        "SELECT f.cause, f.detection_low_us, f.detection_high_us, f.vacancy_low_us, f.vacancy_high_us,"
        " f.takeover_low_us, f.takeover_high_us, f.total_low_us, f.total_high_us, f.gap_us"
        " FROM election l JOIN cluster c ON c.id = l.cluster CROSS JOIN failover f ON f.election = l.id"
        " AND f.lost_us >= ?1 AND f.lost_us < ?2" FAILOVER_LATEST
        " WHERE (?3 IS NULL OR c.name = ?3) AND l.path = ?4",
        values);
    while ((code = sql_next(statement, 0)) == SQLITE_ROW) {
        const struct failover failover = {.cause = history_failovers_cause_of(sql_text(statement, 0)),
                                          .detection = sql_span(statement, 1),
                                          .vacancy = sql_span(statement, 3),
                                          .takeover = sql_span(statement, 5),
                                          .total = sql_span(statement, 7),
                                          .gap_us = sql_number(statement, 9)};
        room_for_one(&samples, count, &room, sizeof *samples);
        count += failover_sample_of(&failover, &samples[count]);
    }
    if (code == SQLITE_DONE)
        failover_stats_make(samples, count, stats);
    free(samples);
    return reader_done(h, statement, code == SQLITE_DONE, error);
}
