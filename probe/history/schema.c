#include "probe/history/schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/memory.h"
#include "config/text.h"
#include "probe/history/sql.h"

/* "elec": shows file(1) and other programs that it is a recording. */
#define APPLICATION_ID 0x656c6563

/* clang-format off */
#define TIME(us) "strftime('%Y-%m-%dT%H:%M:%S', " us " / 1000000, 'unixepoch') || "\
                 "printf('.%03dZ', " us " / 1000 % 1000)"
#define SOURCE(column) "CASE " column " WHEN 1 THEN 'log' ELSE 'observed' END AS source"

static const char *const statements[] = {
    /* Blocks of a case (probe/case/case_file.h), each with the state at its beginning. */
    "CREATE TABLE observation (id INTEGER PRIMARY KEY, from_us INTEGER NOT NULL, to_us INTEGER NOT NULL,"
    " until_us INTEGER NOT NULL, block BLOB NOT NULL)",
    "CREATE TABLE stretch (id INTEGER PRIMARY KEY, from_us INTEGER NOT NULL, to_us INTEGER NOT NULL, why TEXT NOT NULL, recorder TEXT NOT NULL)",
    "CREATE TABLE cluster (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, hosts TEXT NOT NULL, chroot TEXT NOT NULL)",
    "CREATE TABLE election (id INTEGER PRIMARY KEY, cluster INTEGER NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, recipe TEXT, UNIQUE (cluster, path))",
    "CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
    "CREATE TABLE kind (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE)",
    "CREATE TABLE event (id INTEGER PRIMARY KEY, at_us INTEGER NOT NULL, kind INTEGER NOT NULL, cluster INTEGER, election INTEGER,"
    " candidate INTEGER, identity INTEGER, other INTEGER, other_identity INTEGER, position INTEGER, gap_us INTEGER, after_us INTEGER, joined INTEGER, gone INTEGER,"
    " state TEXT, detail TEXT, source INTEGER)",
    "CREATE TABLE failover (election INTEGER NOT NULL, lost_us INTEGER NOT NULL, event INTEGER NOT NULL, elected_us INTEGER,"
    " cause TEXT NOT NULL, certainty TEXT NOT NULL,"
    " detection_low_us INTEGER, detection_high_us INTEGER, vacancy_low_us INTEGER, vacancy_high_us INTEGER,"
    " takeover_low_us INTEGER, takeover_high_us INTEGER, total_low_us INTEGER, total_high_us INTEGER, gap_us INTEGER, mono_us INTEGER, evidence TEXT,"
    " notified_us INTEGER, reacted_us INTEGER,"
    " PRIMARY KEY (election, lost_us, event)) WITHOUT ROWID",
    "CREATE TABLE finding (event INTEGER PRIMARY KEY, code TEXT NOT NULL, severity TEXT NOT NULL, certainty TEXT NOT NULL,"
    " candidates TEXT NOT NULL, evidence TEXT, advice TEXT, since_us INTEGER, unconfirmed_us INTEGER, subject INTEGER, one_look INTEGER)",
    "CREATE TABLE tenure (election INTEGER NOT NULL, id INTEGER NOT NULL, stretch INTEGER NOT NULL, kind TEXT NOT NULL,"
    " candidate INTEGER, identity INTEGER, from_us INTEGER NOT NULL, from_exact INTEGER NOT NULL, to_us INTEGER, source INTEGER, session INTEGER, PRIMARY KEY (election, id)) WITHOUT ROWID",
    /* Of one stretch, whose clock its times are of. */
    "CREATE TABLE gap (id INTEGER PRIMARY KEY, cluster INTEGER, stretch INTEGER, from_us INTEGER NOT NULL, to_us INTEGER, why TEXT NOT NULL)",
    "CREATE TABLE chunk (id INTEGER PRIMARY KEY, stretch INTEGER NOT NULL, from_us INTEGER NOT NULL, first_event INTEGER NOT NULL,"
    " first_name INTEGER NOT NULL, picture_size INTEGER NOT NULL, picture BLOB NOT NULL, patches_size INTEGER, patches BLOB)",
    "CREATE TABLE patch (id INTEGER PRIMARY KEY, at_us INTEGER NOT NULL, patch BLOB NOT NULL)",
    "CREATE TABLE fact (id INTEGER PRIMARY KEY, cluster INTEGER, at_us INTEGER NOT NULL, kind TEXT NOT NULL,"
    " zxid INTEGER, zxid_to INTEGER, session INTEGER, owner INTEGER, path TEXT, timeout_ms INTEGER, began_us INTEGER, back_us INTEGER)",
    "CREATE INDEX fact_time ON fact (at_us)",
    /* The events of one election, among twenty million events of a month. The stated counts let SQLite's
       planner know, without looking, that the index of the election is faster than a full scan. */
    "CREATE INDEX event_election ON event (election)", "ANALYZE election", "DELETE FROM sqlite_stat1",
    "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('event', 'event_election', '1000000 10000'), ('election', 'sqlite_autoindex_election_1', '100 100 1')",

    "CREATE VIEW events AS SELECT e.id, " TIME("e.at_us") " AS time, c.name AS cluster, l.path AS election,"
    " k.word AS event, n.text AS candidate, i.text AS identity, o.text AS from_candidate, oi.text AS from_identity, e.position, e.gap_us / 1000.0 AS gap_ms, e.after_us / 1000.0 AS after_ms,"
    " e.joined, e.gone, e.state, e.detail, " SOURCE("e.source")
    " FROM event e JOIN kind k ON k.id = e.kind LEFT JOIN election l ON l.id = e.election LEFT JOIN cluster c ON c.id = coalesce(e.cluster, l.cluster) LEFT JOIN name n ON n.id = e.candidate"
    " LEFT JOIN name i ON i.id = e.identity LEFT JOIN name o ON o.id = e.other LEFT JOIN name oi ON oi.id = e.other_identity",
    "CREATE VIEW failovers AS SELECT " TIME("f.lost_us") " AS lost, " TIME("f.elected_us") " AS elected, c.name AS cluster, l.path AS election, o.text AS from_candidate, oi.text AS from_identity,"
    " n.text AS to_candidate, i.text AS to_identity, f.cause, CASE f.cause WHEN 'unknown' THEN NULL ELSE f.certainty END AS certainty,"
    " f.detection_low_us / 1000.0 AS detection_low_ms, f.detection_high_us / 1000.0 AS detection_high_ms,"
    " f.vacancy_low_us / 1000.0 AS vacancy_low_ms, f.vacancy_high_us / 1000.0 AS vacancy_high_ms, f.takeover_low_us / 1000.0 AS takeover_low_ms, f.takeover_high_us / 1000.0 AS takeover_high_ms,"
    " f.notified_us / 1000.0 AS notified_ms, f.reacted_us / 1000.0 AS reacted_ms,"
    " f.total_low_us / 1000.0 AS total_low_ms, f.total_high_us / 1000.0 AS total_high_ms, f.gap_us / 1000.0 AS gap_ms, f.evidence, f.event AS id, " SOURCE("e.source")
    " FROM failover f LEFT JOIN event e ON e.id = f.event JOIN election l ON l.id = f.election JOIN cluster c ON c.id = l.cluster LEFT JOIN name n ON n.id = e.candidate"
    " LEFT JOIN name i ON i.id = e.identity LEFT JOIN name o ON o.id = e.other LEFT JOIN name oi ON oi.id = e.other_identity",
    "CREATE VIEW findings AS SELECT " TIME("e.at_us") " AS time, c.name AS cluster, l.path AS election, k.word AS event, f.code, f.severity, f.certainty, f.candidates, " TIME("f.since_us") " AS since,"
    " f.evidence, f.advice, e.id FROM finding f JOIN event e ON e.id = f.event JOIN kind k ON k.id = e.kind LEFT JOIN election l ON l.id = e.election LEFT JOIN cluster c ON c.id = l.cluster",
    "CREATE VIEW tenures AS SELECT c.name AS cluster, l.path AS election, t.kind, n.text AS candidate, i.text AS identity, " TIME("t.from_us") " AS since, t.from_exact, " TIME("t.to_us") " AS until, " SOURCE("t.source")
    " FROM tenure t JOIN election l ON l.id = t.election JOIN cluster c ON c.id = l.cluster LEFT JOIN name n ON n.id = t.candidate LEFT JOIN name i ON i.id = t.identity",
    "CREATE VIEW gaps AS SELECT c.name AS cluster, " TIME("g.from_us") " AS since, " TIME("g.to_us") " AS until, (coalesce(g.to_us, s.to_us) - g.from_us) / 1000000.0 AS seconds, g.why"
    " FROM gap g LEFT JOIN cluster c ON c.id = g.cluster LEFT JOIN stretch s ON s.id = g.stretch",
    "CREATE VIEW facts AS SELECT f.id, " TIME("f.at_us") " AS time, c.name AS cluster, f.kind AS fact, printf('0x%x', f.zxid) AS zxid, CASE WHEN f.zxid_to THEN printf('0x%x', f.zxid_to) END AS zxid_to,"
    " CASE WHEN f.session THEN printf('0x%x', f.session) END AS session, CASE WHEN f.owner THEN printf('0x%x', f.owner) END AS owner, f.path, f.timeout_ms, " TIME("f.began_us")
    " AS began, f.back_us / 1000.0 AS back_ms FROM fact f LEFT JOIN cluster c ON c.id = f.cluster",
    NULL};
/* clang-format on */

char *schema_damaged(const char *file)
{
    return text_format("%s: the recording is damaged (was it cut, or copied while it was written?); move it "
                       "away to begin a new one, `sqlite3 FILE .recover` saves the readable part",
                       file);
}

char *schema_error(sqlite3 *db, const char *file)
{
    int code = db ? sqlite3_errcode(db) : SQLITE_NOMEM;
    switch (code) {
    case SQLITE_FULL:
        return text_format("%s: no space left on its disk; make room, or choose another place with "
                           "history: {file: ...}",
                           file);
    case SQLITE_NOTADB:
        return text_format("%s: this is not a recording of electop; name another file", file);
    case SQLITE_CORRUPT:
    case SQLITE_OK: /* SQLite could read it, and it makes no sense */
    case SQLITE_ROW:
    case SQLITE_DONE:
        return schema_damaged(file);
    case SQLITE_TOOBIG:
        return text_format("%s: a row is too large for a recording; name another file", file);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return text_format("%s: permission denied for writing; check who owns the file and its directory",
                           file);
    case SQLITE_CANTOPEN:
        return text_format("%s: cannot be opened (%s); check the path, and that its directory can be written",
                           file, strerror(sqlite3_system_errno(db) ? sqlite3_system_errno(db) : ENOENT));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return text_format("%s: another program has locked it; end that program", file);
    case SQLITE_IOERR:
        code = sqlite3_system_errno(db); /* 0: SQLite has done something since */
        return text_format("%s: %s%s%s%s; check the disk, and the limit of file sizes (ulimit -f)", file,
                           sqlite3_errmsg(db), code ? " (" : "", code ? strerror(code) : "", code ? ")" : "");
    default:
        return text_format("%s: %s", file, db ? sqlite3_errmsg(db) : "out of memory");
    }
}

#define TABLES "FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
#define OTHERS "FROM sqlite_schema WHERE type <> 'table' AND sql IS NOT NULL"

/* Without memory nothing is compared, and the file is not refused. Call this before sqlite3_finalize(), which clears
 * the error. */
static void schema_end_if_starved(sqlite3 *db)
{
    if (!db || sqlite3_errcode(db) == SQLITE_NOMEM)
        memory_exhausted();
}

/* All that the query names in ours is in theirs, to the letter. */
static bool has_the_same(sqlite3 *ours, sqlite3 *theirs, const char *query)
{
    sqlite3_stmt *wanted = NULL, *found = NULL;
    int code = sqlite3_prepare_v2(ours, query, -1, &wanted, NULL);
    bool fine = code == SQLITE_OK &&
                sqlite3_prepare_v2(
                    theirs, "SELECT count(*) FROM sqlite_schema WHERE type = ? AND name = ? AND sql = ?", -1,
                    &found, NULL) == SQLITE_OK;
    while (fine && (code = sqlite3_step(wanted)) == SQLITE_ROW) {
        int64_t count = 0;
        for (int i = 0; i < 3; i++)
            if (sqlite3_bind_text(found, i + 1, sql_text(wanted, i), -1, SQLITE_TRANSIENT) == SQLITE_NOMEM)
                memory_exhausted();
        fine = sql_answer(found, &count) && count == 1;
    }
    schema_end_if_starved(ours);
    schema_end_if_starved(theirs);
    sqlite3_finalize(wanted);
    sqlite3_finalize(found);
    return fine && code == SQLITE_DONE;
}

/*
 * A view in place of a table has any number of rows, and a trigger, or an expression of an index, runs whenever
 * something is recorded: only a file with what this program makes is a recording.
 */
static bool schema_is_ours(sqlite3 *db)
{
    sqlite3 *ours = NULL;
    int64_t others = 0, of_ours = 0;
    bool fine = sql_open(":memory:", &ours, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) == SQLITE_OK;
    for (const char *const *sql = statements; fine && *sql; sql++)
        fine = sql_run(ours, *sql);
    schema_end_if_starved(ours);
    fine = fine && has_the_same(ours, db, "SELECT type, name, sql " TABLES) &&
           has_the_same(ours, db, "SELECT type, name, sql " OTHERS) &&
           sql_ask(db, "SELECT count(*) " OTHERS, &others) &&
           sql_ask(ours, "SELECT count(*) " OTHERS, &of_ours) && others == of_ours;
    schema_end_if_starved(ours);
    schema_end_if_starved(db);
    sqlite3_close(ours);
    return fine;
}

/* All of it or nothing. */
static bool schema_make(sqlite3 *db)
{
    bool fine = sql_run(db, "BEGIN IMMEDIATE");
    for (const char *const *sql = statements; fine && *sql; sql++)
        fine = sql_run(db, *sql);
    char *number = sqlite3_mprintf("PRAGMA application_id=%d; PRAGMA user_version=%d; COMMIT", APPLICATION_ID,
                                   SCHEMA_VERSION);
    fine = fine && number && sql_run(db, number);
    sqlite3_free(number);
    return fine;
}

bool schema_prepare(sqlite3 *db, const char *file, bool writing, char **error)
{
    *error = NULL;
    int64_t application, version, tables; /* a stranger's numbers may be below 0 */
    if (!sql_ask(db, "PRAGMA application_id", &application) ||
        !sql_ask(db, "PRAGMA user_version", &version) ||
        !sql_ask(db, "SELECT count(*) FROM sqlite_schema", &tables)) {
        *error = schema_error(db, file);
        return false;
    }
    bool empty = tables == 0 && application == 0;
    if (!empty && application != APPLICATION_ID) {
        *error = text_format("%s: this database is not a recording of electop; name another file", file);
        return false;
    }
    if (!empty && version != SCHEMA_VERSION) {
        *error = text_format("%s: recorded by another version of electop (schema %lld, this one reads %d); "
                             "use that version to read it, or move it away to begin a new recording",
                             file, (long long)version, SCHEMA_VERSION);
        return false;
    }
    if (!writing && empty) {
        *error = text_format("%s: nothing has been recorded there yet; `electop record` does", file);
        return false;
    }
    if (!empty && !schema_is_ours(db)) {
        *error = text_format("%s: its tables are not those of a recording; name another file", file);
        return false;
    }
    if (!writing)
        return true;
    /* Settings of the file that must be made before the first table. */
    if (empty && !sql_run(db, "PRAGMA auto_vacuum=INCREMENTAL; PRAGMA page_size=4096"))
        goto failed;
    /* Rows of a hundred elections lie on as many pages: each write is large, and the disk is
       waited for only when it is moved into the file. That is every four seconds at a thousand events a
       second; a larger move takes longer, and a kill may cost a second at most. */
    if (!sql_run(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=2000;"
                     " PRAGMA journal_size_limit=8388608"))
        goto failed;
    if (empty && !schema_make(db))
        goto failed;
    return true;
failed:
    *error = schema_error(db, file);
    sql_run(db, "ROLLBACK");
    return false;
}
