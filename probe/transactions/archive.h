/*
 * archive.h - unpacks a server's files from an archive (tar, zip ...) or from a compressed file (gz, zst, xz
 * ...).
 *
 * Names in an archive are not trusted: a file is written under a name made from the zxid in it, into a
 * directory that was made for this.
 */
#ifndef ELECTOP_PROBE_TRANSACTIONS_ARCHIVE_H
#define ELECTOP_PROBE_TRANSACTIONS_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

/* "log.100000001" or "snapshot.0", perhaps with a suffix such as ".gz". */
struct server_file_name {
    bool snapshot;
    int64_t zxid;
    const char *suffix; /* "" or ".gz" ... */
};
/* False: no name of a log or of a snapshot. */
bool server_file_parse(const char *name, struct server_file_name *);

/*
 * Unpacks each log and each snapshot of the archive. fn gets the folder that it was in inside the archive,
 * its name, and the path of the unpacked file, which is the caller's to delete. A file that is only
 * compressed counts as an archive that holds it under its own name. False and a text in *error (caller
 * frees).
 */
typedef bool (*archive_fn)(void *context, const char *folder, const struct server_file_name *,
                           const char *path);
bool archive_unpack(const char *file, const char *into, archive_fn, void *context, char **error);

#endif
