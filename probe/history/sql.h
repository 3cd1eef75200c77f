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

/* Text is borrowed until the statement is bound anew or reset; NULL is NULL. */
void sql_bind_text(sqlite3_stmt *statement, int i, const char *text);
/* NULL where it is not known. */
void sql_bind_known(sqlite3_stmt *statement, int i, int64_t number, bool known);

/*
 * A recording may come from anybody. sql_next() steps like sqlite3_step(), and gives SQLITE_CORRUPT for a row
 * that no recorder writes: a number beyond SQL_NUMBER_MOST, a text longer than SQL_TEXT_MOST, a number with a
 * fraction. any: bits of columns that may hold anything (session ids, zxids, lists). sql_number() is the
 * number in a column, within those bounds whatever its type.
 */
#define SQL_NUMBER_MOST (INT64_C(1) << 56) /* in microseconds: the year 4253 */
#define SQL_TEXT_MOST 65536
int sql_next(sqlite3_stmt *statement, unsigned any);
int64_t sql_number(sqlite3_stmt *statement, int i);

/* A column's text, as long as the statement stays at its row; NULL where it is NULL. */
const char *sql_text(sqlite3_stmt *statement, int i);
/* malloc'd; "" where it is NULL. */
char *sql_copy(sqlite3_stmt *statement, int i);
/* A column and the next one; NULL is an open bound. */
struct span sql_span(sqlite3_stmt *statement, int i);

#endif
