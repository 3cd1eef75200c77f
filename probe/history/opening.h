/*
 * opening.h - opens a recording's file to be read, wherever it lies: while somebody records into it, or as a
 * copy in a place where nothing may be written.
 */
#ifndef ELECTOP_PROBE_HISTORY_OPENING_H
#define ELECTOP_PROBE_HISTORY_OPENING_H

#include <sqlite3.h>
#include <stdbool.h>

/*
 * NULL and a text in *error (caller frees): what is wrong, and what to do. What is in the database is not
 * looked at. still: it was taken for one that nobody writes; see opening_is_stale().
 */
sqlite3 *opening_read(const char *file, bool *still, char **error);

/* Somebody began to record into one that nobody wrote: it must be opened again. */
bool opening_is_stale(const char *file);

/*
 * The file, which this has open, has fewer pages than its first one says, and they are not beside it, either:
 * where its disk was full or its recorder was killed, they wait there to be taken over.
 */
bool opening_is_cut(sqlite3 *, const char *file);

/* malloc'd, or NULL: out of memory. */
char *opening_damaged(const char *file);

#endif
