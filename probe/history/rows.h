/*
 * rows.h - a batch as rows of the recording: the inside of the store's thread.
 *
 * What is remembered of the file (ids, names) is forgotten by rows_forget() when a transaction did not come
 * to be, and asked for again; what is remembered of what happened is what it was at rows_committed().
 */
#ifndef ELECTOP_PROBE_HISTORY_ROWS_H
#define ELECTOP_PROBE_HISTORY_ROWS_H

#include <sqlite3.h>

#include "probe/history/batch.h"

struct rows;

/* The database must be prepared for writing (schema.h), and outlives it. NULL: out of memory. */
struct rows *rows_new(sqlite3 *);
void rows_free(struct rows *);
void rows_committed(struct rows *);
void rows_forget(struct rows *);

/* Once, before anything is written: what an earlier recorder saw going on, it saw until its own end. */
bool rows_end_tenures(struct rows *);

/* Inside a transaction. False: see sqlite3_errcode(); the transaction must be rolled back. */
bool rows_write(struct rows *, const struct batch *);
/* The stretch goes on until then. */
bool rows_alive(struct rows *, int64_t now_us);

#endif
