/*
 * place.h - where the recording lies, and who may write there.
 *
 * A recording holds what strangers wrote into their znodes: a new one can be read by its owner and, where the
 * umask leaves it, by its group (mode 0640), and by nobody else.
 */
#ifndef ELECTOP_PROBE_HISTORY_PLACE_H
#define ELECTOP_PROBE_HISTORY_PLACE_H

#include <stdbool.h>

#include "config/settings.h"

/*
 * The file of the settings; where they leave it open, history.db in $STATE_DIRECTORY (systemd's, for a
 * service), else $XDG_STATE_HOME/electop, else ~/.local/state/electop. For a reader, where there is none, the
 * service's in /var/lib/electop. malloc'd; NULL and a text in *error (caller frees): there is no such place.
 */
char *place_choose(const struct history_settings *, bool reading, char **error);

/*
 * Makes the directory where it is missing, and the file, and takes the lock that lets one process record at
 * a time; it is let go when the descriptor is closed, and when the process ends in whatever way. The file
 * must be ours, no link, and in a directory where nobody else can put another in its place. *real gets its
 * path without links (malloc'd). -1 and a text in *error (caller frees): what is wrong, and what to do.
 */
int place_take(const char *file, char **real, char **error);

#endif
