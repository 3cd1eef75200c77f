/*
 * recording_open.h - opens a recording's file for reading, anywhere: while a recorder writes it,
 * or as a copy in a read-only place.
 */
#ifndef ELECTOP_PROBE_HISTORY_RECORDING_OPEN_H
#define ELECTOP_PROBE_HISTORY_RECORDING_OPEN_H

#include <sqlite3.h>
#include <stdbool.h>

/*
 * NULL and a text in *error (caller frees): the error, and the remedy. The contents of the database are not
 * checked. still: it was opened as one without a writer; see recording_open_is_stale().
 */
sqlite3 *recording_open_read(const char *file, bool *still, char **error);

/* A recorder began to write a file that had no writer: it must be opened again. */
bool recording_open_is_stale(const char *file);

/*
 * The file, which this has open, has fewer pages than its first one says, and they are not beside it, either:
 * where its disk was full or its recorder was killed, they wait there to be taken over.
 */
bool recording_open_is_cut(sqlite3 *, const char *file);

/* malloc'd, or NULL: out of memory. */
char *recording_open_damaged(const char *file);

#endif
