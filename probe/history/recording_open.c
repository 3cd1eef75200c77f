#include "probe/history/recording_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/text.h"
#include "probe/history/schema.h"
#include "probe/history/sql.h"

#define BUSY_MS 5000

/* SQLite keeps these beside a file: rows not yet moved into it, and data shared by those who have it open.
 */
#define AHEAD "-wal"
#define SHARED "-shm"

char *recording_open_damaged(const char *file)
{
    return text_format("%s: the recording is damaged (was it cut, or copied while it was written?); "
                       "`sqlite3 FILE .recover` saves what can be read",
                       file);
}

/* By the effective user, like everything that is opened afterwards. */
static bool may_read(const char *name)
{
    return faccessat(AT_FDCWD, name, R_OK, AT_EACCESS) == 0;
}

/* False: there is none, or nothing is known of it. */
static bool look_beside(const char *file, const char *suffix, struct stat *status)
{
    char *name = text_format("%s%s", file, suffix);
    bool there = name && stat(name, status) == 0;
    free(name);
    return there;
}

/* Nothing is written beside it that is not in it yet. */
static bool is_alone(const char *file)
{
    struct stat status;
    return !look_beside(file, AHEAD, &status) || status.st_size == 0;
}

bool recording_open_is_stale(const char *file)
{
    struct stat status;
    return look_beside(file, SHARED, &status);
}

static bool recording_open_open_database(sqlite3 **db, const char *name, int more)
{
    sqlite3_close(*db);
    *db = NULL;
    return sqlite3_open_v2(name, db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | more, NULL) == SQLITE_OK;
}

static bool can_read(sqlite3 *db)
{
    sqlite3_busy_timeout(db, BUSY_MS);
    /* A stranger's file shall not run anything here. */
    return sql_run(db, "PRAGMA trusted_schema=OFF; PRAGMA query_only=ON; PRAGMA cache_size=-32000;"
                       " SELECT count(*) FROM sqlite_schema");
}

/*
 * Without a recorder, and without permission to write the directory, SQLite cannot make its files beside
 * the recording; but then no process changes the file, either. Rows not yet moved into it are read from
 * beside it: without locks, and with the shared data in memory.
 */
static bool open_still(sqlite3 **db, const char *file)
{
    bool alone = is_alone(file), locked = *db && sqlite3_errcode(*db) == SQLITE_BUSY;
    if (locked || (!alone && recording_open_is_stale(file)))
        return false;
    struct text name = {0};
    text_add(&name, "file:");
    for (const char *at = file; *at; at++)
        if (strchr("?#%", *at))
            text_printf(&name, "%%%02x", (unsigned)(unsigned char)*at);
        else
            text_printf(&name, "%c", *at);
    text_add(&name, alone ? "?immutable=1" : "?vfs=unix-none");
    char *uri = text_take(&name);
    bool fine =
        uri && recording_open_open_database(db, uri, SQLITE_OPEN_URI) &&
        (alone || (sqlite3_db_config(*db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL) == SQLITE_OK &&
                   sql_run(*db, "PRAGMA locking_mode=EXCLUSIVE"))) &&
        can_read(*db);
    free(uri);
    return fine;
}

/*
 * Asked of SQLite's own descriptor: closing another one would let go all locks that this process has on the
 * file, those of a recorder in it too.
 */
bool recording_open_is_cut(sqlite3 *db, const char *path)
{
    unsigned char head[32];
    sqlite3_file *file = NULL;
    sqlite3_int64 length = 0;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file ||
        !file->pMethods || file->pMethods->xFileSize(file, &length) != SQLITE_OK ||
        file->pMethods->xRead(file, head, sizeof head, 0) != SQLITE_OK ||
        memcmp(head, "SQLite format 3", 16) != 0)
        return false;
    int64_t size = head[16] << 8 | head[17];
    int64_t pages = (int64_t)head[28] << 24 | head[29] << 16 | head[30] << 8 | head[31];
    return (size == 1 ? 65536 : size) * pages > length && is_alone(path);
}

/* One that is there, and that others may read, but not we. */
static char *unreadable_beside(const char *file)
{
    static const char *const suffixes[] = {AHEAD, SHARED};
    struct stat status;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char *name = text_format("%s%s", file, suffixes[i]);
        bool ours = !look_beside(file, suffixes[i], &status) || (name && may_read(name));
        free(name);
        if (!ours)
            return text_format(
                "%s%s: belongs to the recording and may not be read by you; ask its owner, or read "
                "as a member of its group",
                file, suffixes[i]);
    }
    return NULL;
}

static char *why_not(sqlite3 *db, const char *file)
{
    char *error = unreadable_beside(file);
    if (error || !db || sqlite3_errcode(db) != SQLITE_CANTOPEN || is_alone(file))
        return error ? error : schema_error(db, file);
    return text_format(
        "%s: what was recorded last is still in %s" AHEAD
        ", which cannot be read in a directory that may not be written; copy both to one that may",
        file, file);
}

sqlite3 *recording_open_read(const char *file, bool *still, char **error)
{
    sqlite3 *db = NULL;
    struct stat status;
    bool opened;
    *error = NULL;
    *still = false;
    if (stat(file, &status) != 0 && errno != EACCES) {
        *error = text_format("%s: no recording there; `electop record` makes one", file);
    } else if (!may_read(file)) {
        *error =
            text_format("%s: may not be read by you; ask its owner, or read as a member of its group", file);
    } else if (!S_ISREG(status.st_mode)) {
        *error = text_format("%s: is no file; name a recording", file);
    } else if ((opened = recording_open_open_database(&db, file, 0)) && recording_open_is_cut(db, file)) {
        *error = recording_open_damaged(file);
    } else if ((opened && can_read(db)) || (*still = open_still(&db, file))) {
        *still = *still && !recording_open_is_stale(file);
        return db;
    } else {
        *error = why_not(db, file);
    }
    sqlite3_close(db);
    return NULL;
}
