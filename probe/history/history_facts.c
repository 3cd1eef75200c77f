#include "probe/history/history_facts.h"

#include <string.h>

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

static struct logged_fact read_fact(sqlite3_stmt *statement)
{
    return (struct logged_fact){.kind = fact_kind_of(sql_text(statement, 0)),
                                .at = {.wall_us = sqlite3_column_int64(statement, 1)},
                                .zxid = sqlite3_column_int64(statement, 2),
                                .zxid_to = sqlite3_column_int64(statement, 3),
                                .session = (uint64_t)sqlite3_column_int64(statement, 4),
                                .owner = (uint64_t)sqlite3_column_int64(statement, 5),
                                .path = sql_text(statement, 6),
                                .timeout_ms = sqlite3_column_int(statement, 7),
                                .began_us = sqlite3_column_int64(statement, 8),
                                .back_us = sqlite3_column_int64(statement, 9)};
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
        while (fine && (code = sqlite3_step(statement)) == SQLITE_ROW) {
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
