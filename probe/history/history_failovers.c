#include "probe/history/history.h"

#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "probe/election/election.h"
#include "probe/history/digest.h"
#include "probe/history/reader.h"
#include "probe/history/schema.h"
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
    sqlite3_stmt *statement = NULL;
    int code = SQLITE_DONE;
    if (!reader_begin(h, error))
        return false;
    bool fine = true;
    if (h->schema >= SCHEMA_FACTS) {
        fine = sqlite3_prepare_v2(
                   h->db,
                   "SELECT kind, at_us, zxid, zxid_to, session, owner, path, timeout_ms, began_us,"
                   " back_us FROM fact WHERE at_us >= ? AND at_us < ? ORDER BY at_us, id",
                   -1, &statement, NULL) == SQLITE_OK;
        if (fine) {
            sqlite3_bind_int64(statement, 1, from_us);
            sqlite3_bind_int64(statement, 2, to_us);
        }
        while (fine && (code = sql_next(statement, ID_COLUMNS)) == SQLITE_ROW) {
            struct logged_fact fact = read_fact(statement);
            if (fact.kind < FACT_KINDS && !fn(context, &fact)) {
                code = SQLITE_DONE;
                break;
            }
        }
        fine = fine && code == SQLITE_DONE;
    }
    return reader_done(h, statement, fine, error);
}

/* Failovers, as reported. */

#define FAILOVER_COLUMNS                                                                                     \
    "SELECT f.election, f.lost_us, f.elected_us, n.text, i.text, o.text, oi.text, f.cause, f.certainty,"     \
    " f.detection_low_us, f.detection_high_us, f.vacancy_low_us, f.vacancy_high_us, f.takeover_low_us,"      \
    " f.takeover_high_us, f.total_low_us, f.total_high_us, f.gap_us, f.mono_us, f.evidence"
#define FAILOVER_NAMES                                                                                       \
    " LEFT JOIN name n ON n.id = f.candidate LEFT JOIN name i ON i.id = f.identity"                          \
    " LEFT JOIN name o ON o.id = f.other LEFT JOIN name oi ON oi.id = f.other_identity"

static enum certainty history_failovers_certainty_of(const char *word)
{
    return word && strcmp(word, certainty_word(CERTAINTY_CERTAIN)) == 0 ? CERTAINTY_CERTAIN
                                                                        : CERTAINTY_SUSPECTED;
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
        .cause = digest_cause(sql_text(statement, 7)),
        .cause_certainty = history_failovers_certainty_of(sql_text(statement, 8)),
        .detection = sql_span(statement, 9),
        .vacancy = sql_span(statement, 11),
        .takeover = sql_span(statement, 13),
        .total = sql_span(statement, 15),
        .gap_us = sql_number(statement, 17),
        .evidence = own_text(statement, 19),
    };
    if (sqlite3_column_type(statement, 2) != SQLITE_NULL) {
        int64_t elected_us = sql_number(statement, 2);
        f->elected_at = (struct moment){mono_us + (elected_us - lost_us), elected_us};
    }
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
        found = sql_next(statement, 0) == SQLITE_ROW;
        if (found)
            read_failover(statement, f);
    }
    sqlite3_finalize(statement);
    return found;
}

/* ---- causes that logs made certain afterwards ---- */

static void prove_from(sqlite3_stmt *statement, struct election *e)
{
    for (size_t i = 0; i < e->failover_count; i++) {
        struct failover *f = &e->failovers[(e->failover_first + i) % e->failover_room];
        if (f->lost_at.wall_us != sql_number(statement, 0))
            continue;
        free(f->evidence);
        f->cause = digest_cause(sql_text(statement, 1));
        f->cause_certainty = history_failovers_certainty_of(sql_text(statement, 2));
        f->evidence = own_text(statement, 3);
        f->detection = sql_span(statement, 4);
        f->total = sql_span(statement, 6);
    }
}

static int64_t recorded_id(const struct history *h, const char *cluster, const char *path)
{
    for (size_t i = 0; i < h->stub_count; i++)
        if (strcmp(h->stubs[i].election->path, path) == 0 &&
            strcmp(h->stubs[i].election->cluster->name, cluster) == 0)
            return h->stubs[i].id;
    return -1;
}

static bool prove_election(const struct history *h, sqlite3_stmt *statement, struct election *e)
{
    const struct failover *oldest = election_failover_at(e, 0);
    int code = SQLITE_DONE;
    if (!oldest)
        return true;
    sqlite3_bind_int64(statement, 1, recorded_id(h, e->cluster->name, e->path));
    sqlite3_bind_int64(statement, 2, oldest->lost_at.wall_us);
    while ((code = sql_next(statement, 0)) == SQLITE_ROW)
        prove_from(statement, e);
    sqlite3_reset(statement);
    return code == SQLITE_DONE;
}

bool reader_prove(struct history *h, struct model *model)
{
    sqlite3_stmt *statement = NULL;
    int64_t facts = 0;
    if (h->schema < SCHEMA_FACTS || !sql_ask(h->db, "SELECT 1 FROM fact LIMIT 1", &facts) || facts == 0)
        return true;
    bool fine = sqlite3_prepare_v2(h->db,
                                   "SELECT lost_us, cause, certainty, evidence, detection_low_us,"
                                   " detection_high_us, total_low_us, total_high_us FROM failover"
                                   " WHERE election = ? AND lost_us >= ? AND source = 2",
                                   -1, &statement, NULL) == SQLITE_OK;
    for (size_t c = 0; fine && c < model->cluster_count; c++)
        for (size_t i = 0; fine && i < model->clusters[c].election_count; i++)
            fine = prove_election(h, statement, model->clusters[c].elections[i]);
    sqlite3_finalize(statement);
    return fine;
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
    while (goes_on && code == SQLITE_OK && (code = sql_next(statement, 0)) == SQLITE_ROW) {
        struct stub *stub = reader_stub(h, sql_number(statement, 0));
        struct failover failover;
        code = SQLITE_OK;
        if (!stub ||
            (filter && filter->cluster && strcmp(stub->election->cluster->name, filter->cluster) != 0))
            continue;
        read_failover(statement, &failover);
        goes_on = fn(context, stub->election, &failover);
        failover_release(&failover);
    }
    return reader_done(h, statement, !goes_on || code == SQLITE_DONE, error);
}
