#include "probe/history/sql.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "config/text.h"

static int sql_open_at_once(const char *path, int flags, int mode)
{
    return open(path, flags | O_NONBLOCK | O_NOCTTY, mode);
}

/* Root gives what it makes beside a recording to the recording's owner; never a file that was there under another
 * name. */
static int sql_give(int descriptor, uid_t user, gid_t group)
{
    struct stat status;
    bool made = fstat(descriptor, &status) == 0 && status.st_nlink == 1 && status.st_size == 0;
    return made ? fchown(descriptor, user, group) : 0;
}

static void sql_prepare(void)
{
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    if (!system || system->iVersion < 3)
        return;
    system->xSetSystemCall(system, "open", (sqlite3_syscall_ptr)sql_open_at_once);
    system->xSetSystemCall(system, "fchown", (sqlite3_syscall_ptr)sql_give);
}

int sql_open(const char *file, sqlite3 **db, int flags)
{
    static uv_once_t once = UV_ONCE_INIT;
    uv_once(&once, sql_prepare);
    return sqlite3_open_v2(file, db, flags, NULL);
}

bool sql_run(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static bool sql_fits(sqlite3_stmt *statement, int i)
{
    int64_t number;
    switch (sqlite3_column_type(statement, i)) {
    case SQLITE_INTEGER:
        number = sqlite3_column_int64(statement, i);
        return number >= -SQL_NUMBER_MOST && number <= SQL_NUMBER_MOST;
    case SQLITE_TEXT:
        return sqlite3_column_bytes(statement, i) <= SQL_TEXT_MOST;
    case SQLITE_FLOAT:
        return false;
    default:
        return true;
    }
}

int sql_next(sqlite3_stmt *statement, unsigned any)
{
    int code = statement ? sqlite3_step(statement) : SQLITE_ERROR;
    for (int i = 0; code == SQLITE_ROW && i < sqlite3_column_count(statement); i++)
        if (!(any >> i & 1) && !sql_fits(statement, i))
            return SQLITE_CORRUPT;
    return code;
}

int64_t sql_number(sqlite3_stmt *statement, int i)
{
    int64_t number = sqlite3_column_int64(statement, i); /* a text's too */
    return number > SQL_NUMBER_MOST ? SQL_NUMBER_MOST : number < -SQL_NUMBER_MOST ? -SQL_NUMBER_MOST : number;
}

static bool sql_step(sqlite3_stmt *statement, int64_t *number)
{
    int code = sql_next(statement, 0);
    *number = code == SQLITE_ROW ? sql_number(statement, 0) : 0; /* of NULL it makes 0 */
    return code == SQLITE_ROW || code == SQLITE_DONE;
}

bool sql_ask(sqlite3 *db, const char *sql, int64_t *number)
{
    sqlite3_stmt *statement = sql_select(db, sql, NULL);
    bool fine = sql_step(statement, number);
    sqlite3_finalize(statement);
    return fine;
}

bool sql_answer(sqlite3_stmt *statement, int64_t *number)
{
    bool fine = sql_step(statement, number);
    sqlite3_reset(statement);
    return fine;
}

bool sql_done(sqlite3_stmt *statement)
{
    int64_t ignored;
    return sql_answer(statement, &ignored);
}

/* Clients choose the length of a znode's name, and a reader refuses longer texts: cut between characters. */
static int text_bytes(const char *text, int64_t most)
{
    size_t length = strnlen(text, (size_t)most + 1);
    if (length <= (size_t)most)
        return (int)length;
    for (length--; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;)
        length--;
    return (int)length;
}

void sql_bind(sqlite3_stmt *statement, const struct sql_value *values)
{
    int count = statement && values ? sqlite3_bind_parameter_count(statement) : 0;
    for (int i = 0; i < count; i++) {
        const struct sql_value *value = &values[i];
        if (value->type == SQL_NUMBER)
            sqlite3_bind_int64(statement, i + 1, value->number);
        else if (value->type == SQL_TEXT)
            sqlite3_bind_text(statement, i + 1, value->bytes, text_bytes(value->bytes, value->number),
                              SQLITE_STATIC);
        else if (value->type == SQL_BYTES)
            sqlite3_bind_blob64(statement, i + 1, value->bytes, (sqlite3_uint64)value->number, SQLITE_STATIC);
        else
            sqlite3_bind_null(statement, i + 1);
    }
}

sqlite3_stmt *sql_select(sqlite3 *db, const char *sql, const struct sql_value *values)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        return NULL;
    sql_bind(statement, values);
    return statement;
}

const char *sql_text(sqlite3_stmt *statement, int i)
{
    return (const char *)sqlite3_column_text(statement, i);
}

char *sql_copy(sqlite3_stmt *statement, int i)
{
    const char *text = sql_text(statement, i);
    return text_copy(text ? text : "");
}

static int64_t bound(sqlite3_stmt *statement, int i)
{
    bool open = sqlite3_column_type(statement, i) == SQLITE_NULL;
    return open ? SPAN_OPEN : sql_number(statement, i);
}

struct span sql_span(sqlite3_stmt *statement, int i)
{
    return (struct span){bound(statement, i), bound(statement, i + 1)};
}
