#include "probe/history/trim.h"

#include <stddef.h>

#include "probe/history/sql.h"

/* Rows that are deleted at once. */
#define TRIM_ROWS 20000

/* A statement with up to two numbers; how many rows it took out. */
static bool trim(sqlite3 *db, const char *sql, int64_t first, int64_t second, int64_t *gone)
{
    sqlite3_stmt *statement = NULL;
    bool fine = sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK;
    if (fine) {
        sqlite3_bind_int64(statement, 1, first);
        if (sqlite3_bind_parameter_count(statement) > 1)
            sqlite3_bind_int64(statement, 2, second);
        fine = sqlite3_step(statement) == SQLITE_DONE;
    }
    sqlite3_finalize(statement);
    *gone += fine ? sqlite3_changes64(db) : 0;
    return fine;
}

/* What a kept chunk is the first to need. */
static bool first_kept(sqlite3 *db, const char *column, int64_t before_us, int64_t *number)
{
    char *sql = sqlite3_mprintf("SELECT %s FROM chunk WHERE from_us <= %lld ORDER BY id DESC LIMIT 1", column,
                                (long long)before_us);
    bool fine = sql && sql_ask(db, sql, number);
    sqlite3_free(sql);
    return fine;
}

bool recording_trim(sqlite3 *db, int64_t before_us, bool *more)
{
    int64_t chunk, event, name, gone = 0;
    *more = false;
    if (!first_kept(db, "id", before_us, &chunk) || !first_kept(db, "first_event", before_us, &event) ||
        !first_kept(db, "first_name", before_us, &name))
        return false;
    if (chunk == 0)
        return true;
    /* Who leads since before then is still named. */
    bool fine =
        trim(db, "DELETE FROM chunk WHERE id < ? AND id IN (SELECT id FROM chunk ORDER BY id LIMIT 100)",
             chunk, 0, &gone) &&
        trim(db,
             "DELETE FROM finding WHERE event IN (SELECT event FROM finding WHERE event < ? ORDER BY event"
             " LIMIT ?)",
             event, TRIM_ROWS, &gone) &&
        trim(db, "DELETE FROM event WHERE id IN (SELECT id FROM event WHERE id < ? ORDER BY id LIMIT ?)",
             event, TRIM_ROWS, &gone) &&
        trim(db,
             "DELETE FROM failover WHERE (election, lost_us, event) IN (SELECT f.election, f.lost_us, f.event"
             " FROM election l, failover f WHERE f.election = l.id AND f.lost_us < ? AND f.event < ?"
             " LIMIT 20000)",
             before_us, event, &gone) &&
        trim(db,
             "DELETE FROM tenure WHERE (election, id) IN (SELECT t.election, t.id FROM tenure t"
             " WHERE t.to_us < ? LIMIT ?)",
             before_us, TRIM_ROWS, &gone) &&
        trim(db, "DELETE FROM digest WHERE hour < ? / 3600000000", before_us, 0, &gone) &&
        trim(db, "DELETE FROM gap WHERE to_us < ?", before_us, 0, &gone);
    if (fine && gone == 0)
        fine = trim(db,
                    "DELETE FROM name WHERE id IN (SELECT id FROM name WHERE id < ? AND id NOT IN"
                    " (SELECT candidate FROM tenure WHERE candidate < ?1 UNION SELECT identity FROM tenure"
                    " WHERE identity < ?1) ORDER BY id LIMIT ?2)",
                    name, TRIM_ROWS, &gone) &&
               trim(db, "DELETE FROM stretch WHERE to_us < ? AND id NOT IN (SELECT stretch FROM chunk)",
                    before_us, 0, &gone);
    *more = fine && gone > 0;
    return fine;
}
