/*
 * sql.h - shared access to SQLite for all parts of a recording: numbers, and texts and spans that may be NULL.
 *
 * After a failure sqlite3_errcode() of the database gives the reason.
 */
#ifndef ELECTOP_PROBE_HISTORY_SQL_H
#define ELECTOP_PROBE_HISTORY_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "probe/election/failover.h"

/* As sqlite3_open_v2(), but a pipe in place of the file, or of one that SQLite keeps beside it, blocks nobody. The
 * caller closes *db, even after a failure. */
int sql_open(const char *file, sqlite3 **db, int flags);

/* Statements that yield nothing. */
bool sql_run(sqlite3 *db, const char *sql);
/* The number in the first row; 0 where it is NULL or there is no row. */
bool sql_ask(sqlite3 *db, const char *sql, int64_t *number);

/* Of a statement that is prepared (NULL: it could not be, which fails) and bound; it is reset afterwards. */
bool sql_done(sqlite3_stmt *statement);
bool sql_answer(sqlite3_stmt *statement, int64_t *number); /* as sql_ask() */

#define SQL_NUMBER_MOST (INT64_C(1) << 56) /* in microseconds: the year 4253 */
#define SQL_TEXT_MOST 65536

/* A value of a row. Texts and bytes are borrowed until the statement is bound anew. */
struct sql_value {
    enum { SQL_NULL, SQL_NUMBER, SQL_TEXT, SQL_BYTES } type;
    int64_t number; /* of bytes: how many; of a text: at most */
    const void *bytes;
};
static inline struct sql_value sql_of(int64_t number)
{
    return (struct sql_value){SQL_NUMBER, number, NULL};
}
/* NULL where it is not known. */
static inline struct sql_value sql_known(int64_t number, bool known)
{
    return (struct sql_value){known ? SQL_NUMBER : SQL_NULL, number, NULL};
}
/* NULL where it is 0. */
static inline struct sql_value sql_some(int64_t number)
{
    return sql_known(number, number != 0);
}
static inline struct sql_value sql_of_text(const char *text)
{
    return (struct sql_value){text ? SQL_TEXT : SQL_NULL, SQL_TEXT_MOST, text};
}
static inline struct sql_value sql_of_list(const char *json)
{
    return (struct sql_value){SQL_TEXT, INT32_MAX, json};
}
static inline struct sql_value sql_of_bytes(const void *bytes, size_t length)
{
    return (struct sql_value){SQL_BYTES, (int64_t)length, bytes};
}
/* As many as the statement (NULL: none) has parameters, in their order; values NULL: they are bound later. */
void sql_bind(sqlite3_stmt *statement, const struct sql_value *values);
/* Prepared and bound, for sql_next(). NULL: it could not be, and sql_next() fails. */
sqlite3_stmt *sql_select(sqlite3 *db, const char *sql, const struct sql_value *values);

/*
 * A recording may come from anybody. sql_next() steps like sqlite3_step(), and gives SQLITE_CORRUPT for a row
 * that no recorder writes: a number beyond SQL_NUMBER_MOST, a text longer than SQL_TEXT_MOST, a number with a
 * fraction. any: bits of columns that may hold anything (session ids, zxids, lists). sql_number() is the
 * number in a column, within those bounds whatever its type.
 */
int sql_next(sqlite3_stmt *statement, unsigned any);
int64_t sql_number(sqlite3_stmt *statement, int i);

/* A column's text, as long as the statement stays at its row; NULL where it is NULL. */
const char *sql_text(sqlite3_stmt *statement, int i);
/* malloc'd; "" where it is NULL. */
char *sql_copy(sqlite3_stmt *statement, int i);
/* A column and the next one; NULL is an open bound. */
struct span sql_span(sqlite3_stmt *statement, int i);

#endif
