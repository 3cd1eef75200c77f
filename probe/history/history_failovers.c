/* Failovers, as they were told, and how long they took. */
#include <stdlib.h>
#include <string.h>

#include "probe/history/reader.h"

#define FAILOVER_COLUMNS                                                                                     \
    "SELECT f.election, f.lost_us, f.elected_us, n.text, i.text, o.text, oi.text, f.cause, f.certainty,"     \
    " f.detection_low_us, f.detection_high_us, f.vacancy_low_us, f.vacancy_high_us, f.takeover_low_us,"      \
    " f.takeover_high_us, f.total_low_us, f.total_high_us, f.gap_us, f.mono_us, f.evidence"
#define FAILOVER_NAMES                                                                                       \
    " LEFT JOIN name n ON n.id = f.candidate LEFT JOIN name i ON i.id = f.identity"                          \
    " LEFT JOIN name o ON o.id = f.other LEFT JOIN name oi ON oi.id = f.other_identity"

static const char *text_at(sqlite3_stmt *statement, int i)
{
    return (const char *)sqlite3_column_text(statement, i);
}

static enum certainty certainty_of(const char *word)
{
    return word && strcmp(word, certainty_word(CERTAINTY_CERTAIN)) == 0 ? CERTAINTY_CERTAIN
                                                                        : CERTAINTY_SUSPECTED;
}

static struct span span_at(sqlite3_stmt *statement, int i)
{
    bool low = sqlite3_column_type(statement, i) != SQLITE_NULL;
    bool high = sqlite3_column_type(statement, i + 1) != SQLITE_NULL;
    return (struct span){low ? sqlite3_column_int64(statement, i) : SPAN_OPEN,
                         high ? sqlite3_column_int64(statement, i + 1) : SPAN_OPEN};
}

static char *own_text(sqlite3_stmt *statement, int i, bool *fine)
{
    const char *text = text_at(statement, i);
    char *copy = text ? strdup(text) : NULL;
    *fine = *fine && (copy || !text);
    return copy;
}

static enum failover_cause cause_of(const char *word)
{
    unsigned cause = 0;
    while (word && cause < CAUSE_COUNT && strcmp(failover_cause_word((enum failover_cause)cause), word) != 0)
        cause++;
    return word && cause < CAUSE_COUNT ? (enum failover_cause)cause : CAUSE_UNKNOWN;
}

static bool read_failover(sqlite3_stmt *statement, struct failover *f)
{
    bool fine = true;
    int64_t lost_us = sqlite3_column_int64(statement, 1), mono_us = sqlite3_column_int64(statement, 18);
    *f = (struct failover){
        .to = own_text(statement, 3, &fine),
        .to_identity = own_text(statement, 4, &fine),
        .from = own_text(statement, 5, &fine),
        .from_identity = own_text(statement, 6, &fine),
        .lost_at = {mono_us, lost_us},
        .cause = cause_of(text_at(statement, 7)),
        .cause_certainty = certainty_of(text_at(statement, 8)),
        .detection = span_at(statement, 9),
        .vacancy = span_at(statement, 11),
        .takeover = span_at(statement, 13),
        .total = span_at(statement, 15),
        .gap_us = sqlite3_column_int64(statement, 17),
        .evidence = own_text(statement, 19, &fine),
    };
    if (sqlite3_column_type(statement, 2) != SQLITE_NULL) {
        int64_t elected_us = sqlite3_column_int64(statement, 2);
        f->elected_at = (struct moment){mono_us + (elected_us - lost_us), elected_us};
    }
    return fine;
}

void reader_failover_free(struct failover *f)
{
    free(f->from);
    free(f->from_identity);
    free(f->to);
    free(f->to_identity);
    free(f->evidence);
}

bool reader_failover(struct history *h, int64_t event, int64_t election, int64_t at_us, struct failover *f)
{
    sqlite3_stmt *statement = NULL;
    bool found = false;
    if (sqlite3_prepare_v2(h->db,
                           FAILOVER_COLUMNS " FROM failover f" FAILOVER_NAMES
                                            " WHERE f.election = ? AND f.event = ? AND f.lost_us <= ?"
                                            " ORDER BY f.lost_us DESC LIMIT 1",
                           -1, &statement, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, election);
        sqlite3_bind_int64(statement, 2, event);
        sqlite3_bind_int64(statement, 3, at_us);
        if (sqlite3_step(statement) == SQLITE_ROW) {
            found = read_failover(statement, f);
            if (!found)
                reader_failover_free(f);
        }
    }
    sqlite3_finalize(statement);
    return found;
}

bool history_failovers(struct history *h, const struct history_filter *filter, int64_t from_us, int64_t to_us,
                       history_failover_fn fn, void *context, char **error)
{
    if (!reader_begin(h, error))
        return false;
    sqlite3_stmt *statement = NULL;
    bool goes_on = true, several = !filter || !filter->election;
    int code = sqlite3_prepare_v2(
        h->db,
        several ? FAILOVER_COLUMNS " FROM election l CROSS JOIN failover f ON f.election = l.id"
                                   " AND f.lost_us >= ?1 AND f.lost_us < ?2" FAILOVER_NAMES
                                   " ORDER BY f.event"
                : FAILOVER_COLUMNS " FROM election l CROSS JOIN failover f ON f.election = l.id"
                                   " AND f.lost_us >= ?1 AND f.lost_us < ?2" FAILOVER_NAMES
                                   " WHERE l.path = ?3 ORDER BY f.event",
        -1, &statement, NULL);
    if (code == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, from_us);
        sqlite3_bind_int64(statement, 2, to_us);
        if (!several)
            sqlite3_bind_text(statement, 3, filter->election, -1, SQLITE_STATIC);
    }
    while (goes_on && code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        struct stub *stub = reader_stub(h, sqlite3_column_int64(statement, 0));
        struct failover failover;
        code = SQLITE_OK;
        if (!stub ||
            (filter && filter->cluster && strcmp(stub->election->cluster->name, filter->cluster) != 0))
            continue;
        if (read_failover(statement, &failover))
            goes_on = fn(context, stub->election, &failover);
        else
            code = SQLITE_NOMEM;
        reader_failover_free(&failover);
    }
    bool fine = !goes_on || code == SQLITE_DONE;
    if (!fine)
        reader_failed(h, error);
    sqlite3_finalize(statement);
    reader_end(h);
    return fine;
}

/* ---- how long they took ---- */

struct samples {
    struct failover_sample *list;
    size_t count, room;
};

static bool add_sample(struct samples *samples, const struct failover *failover)
{
    if (samples->count == samples->room) {
        size_t room = samples->room ? samples->room * 2 : 1024;
        struct failover_sample *list = realloc(samples->list, room * sizeof *list);
        if (!list)
            return false;
        samples->list = list;
        samples->room = room;
    }
    samples->count += failover_sample_of(failover, &samples->list[samples->count]);
    return true;
}

/* Without any text: there may be a hundred thousand of them. */
static bool read_samples(struct history *h, int64_t election, int64_t from_us, int64_t to_us,
                         struct samples *samples)
{
    sqlite3_stmt *statement = NULL;
    int code =
        sqlite3_prepare_v2(h->db,
                           "SELECT cause, detection_low_us, detection_high_us, vacancy_low_us,"
                           " vacancy_high_us, takeover_low_us, takeover_high_us, total_low_us, total_high_us,"
                           " gap_us FROM failover WHERE election = ? AND lost_us >= ? AND lost_us < ?",
                           -1, &statement, NULL);
    if (code == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, election);
        sqlite3_bind_int64(statement, 2, from_us);
        sqlite3_bind_int64(statement, 3, to_us);
    }
    while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        struct failover failover = {.cause = cause_of(text_at(statement, 0)),
                                    .detection = span_at(statement, 1),
                                    .vacancy = span_at(statement, 3),
                                    .takeover = span_at(statement, 5),
                                    .total = span_at(statement, 7),
                                    .gap_us = sqlite3_column_int64(statement, 9)};
        code = add_sample(samples, &failover) ? SQLITE_OK : SQLITE_NOMEM;
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE;
}

bool history_statistics(struct history *h, const struct history_filter *filter, int64_t from_us,
                        int64_t to_us, struct failover_stats *stats, char **error)
{
    struct samples samples = {0};
    if (!reader_begin(h, error))
        return false;
    bool fine = true;
    for (size_t i = 0; i < h->stub_count && fine; i++) {
        const struct election *election = h->stubs[i].election;
        bool other = filter && filter->cluster && strcmp(filter->cluster, election->cluster->name) != 0;
        other = other || (filter && filter->election && strcmp(filter->election, election->path) != 0);
        fine = other || read_samples(h, h->stubs[i].id, from_us, to_us, &samples);
    }
    fine = fine && failover_stats_make(samples.list, samples.count, stats);
    if (!fine)
        reader_failed(h, error);
    free(samples.list);
    reader_end(h);
    return fine;
}
