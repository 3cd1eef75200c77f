/*
 * recording_file.h - the path of the recording, and who may write there.
 *
 * A recording contains foreign data of znodes: a new one can be read by its owner and, where the
 * umask permits it, by its group (mode 0640), and by no others.
 */
#ifndef ELECTOP_PROBE_HISTORY_RECORDING_FILE_H
#define ELECTOP_PROBE_HISTORY_RECORDING_FILE_H

#include <stdbool.h>

#include "config/settings.h"

/*
 * The file of the settings; where they leave it open, history.db in $STATE_DIRECTORY (systemd's, for a
 * service), else $XDG_STATE_HOME/electop, else ~/.local/state/electop. For a reader, where there is none, the
 * service's in /var/lib/electop. malloc'd; NULL and a text in *error (caller frees): there is no such place.
 */
char *recording_file_choose(const struct history_settings *, bool reading, char **error);

/*
 * Makes the directory where it is missing, and the file, and takes the lock that lets one process record at
 * a time; it is released when the descriptor is closed, and when the process ends in any way. The file
 * must be ours, no link, and in a directory where no other user can replace it. *real gets its
 * path without links (malloc'd). -1 and a text in *error (caller frees): the error, and the remedy.
 */
int recording_file_take(const char *file, char **real, char **error);

#endif
