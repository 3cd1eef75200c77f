/*
 * recording_file.h - the path of the recording, and who may write there.
 *
 * A recording contains foreign data of znodes: a new one can be read by its owner and, where the
 * umask permits it, by its group (mode 0640), and by no others.
 */
#ifndef ELECTOP_PROBE_HISTORY_RECORDING_FILE_H
#define ELECTOP_PROBE_HISTORY_RECORDING_FILE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "config/settings.h"

/*
 * The file of the settings; where they leave it open, history.db in $STATE_DIRECTORY (systemd's, for a
 * service), else $XDG_STATE_HOME/electop, else ~/.local/state/electop. For a reader, where there is none, the
 * service's in /var/lib/electop. malloc'd; NULL and a text in *error (caller frees): there is no such place.
 */
char *recording_file_choose(const struct history_settings *settings, bool reading, char **error);

/*
 * Makes the directory where it is missing, and the file, and takes the lock that lets one process record at
 * a time; it is released when the descriptor is closed, and when the process ends in any way. The file
 * must be ours, no link, and in a directory where no other user can replace it. *real gets its
 * path without links (malloc'd). -1 and a text in *error (caller frees): the error, and the remedy.
 */
int recording_file_take(const char *file, char **real, char **error);
/* Another process has that lock. Never asked by the process that has it, which would lose it. */
bool recording_file_is_taken(const char *file);

/*
 * Opens a recording's file for reading, anywhere: while a recorder writes it,
 * or as a copy in a read-only place.
 */

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
bool recording_open_is_cut(sqlite3 *db, const char *file);

/* The open file was emptied from outside, or its beginning was overwritten. */
bool recording_open_is_overwritten(sqlite3 *db);

/* malloc'd. */
char *recording_open_damaged(const char *file);

#endif
