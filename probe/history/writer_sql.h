/*
 * writer_sql.h - a batch as rows of the recording: runs on the store's thread.
 *
 * Remembered ids and names of the file are forgotten by writer_sql_forget() when a transaction failed, and
 * read again; remembered events are those of writer_sql_committed().
 */
#ifndef ELECTOP_PROBE_HISTORY_WRITER_SQL_H
#define ELECTOP_PROBE_HISTORY_WRITER_SQL_H

#include <sqlite3.h>

#include "probe/history/batch.h"

struct writer_sql;

struct writer_sql *writer_sql_new(void);
void writer_sql_free(struct writer_sql *rows);

/* The database must be prepared for writing (schema.h), and stays open until it is let go of by the next.
   same_again: the next one will be the same file. */
void writer_sql_open(struct writer_sql *rows, sqlite3 *db);
void writer_sql_close(struct writer_sql *rows, bool same_again);

void writer_sql_committed(struct writer_sql *rows);
void writer_sql_forget(struct writer_sql *rows);

/* Call it once, before anything is written: ends an earlier recorder's open rows at that recorder's end. */
bool writer_sql_end_tenures(struct writer_sql *rows);

/* Inside a transaction. False: see sqlite3_errcode(); the transaction must be rolled back. */
bool writer_sql_write(struct writer_sql *rows, const struct batch *batch);
/* The stretch goes on until then. */
bool writer_sql_alive(struct writer_sql *rows, int64_t now_us);

#endif
