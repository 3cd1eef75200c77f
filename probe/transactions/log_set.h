/*
 * log_set.h - the logs and snapshots below some directories, by server.
 *
 * Each directory that holds logs is one server's. Files are named by strangers: only plain files are opened,
 * without blocking. A compressed file is unpacked when it is first read, the members of an archive when the set
 * is opened; each into a file without a name in $TMPDIR (/tmp), which vanishes with the process. Unpacked files
 * must begin like a log or a snapshot, and their total size is bounded. Nothing else is written.
 */
#ifndef ELECTOP_PROBE_TRANSACTIONS_LOG_SET_H
#define ELECTOP_PROBE_TRANSACTIONS_LOG_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A log, or a snapshot. */
struct server_file {
    char *path;   /* for the user; of an archive's member, "ARCHIVE:MEMBER" */
    int64_t zxid; /* as its name says: of a log's first transaction, of a snapshot's last */
    bool packed;
    int unpacked;  /* a descriptor, if packed; -1: not unpacked */
    char *problem; /* why it cannot be unpacked; NULL: it was not tried, or could */
};

struct log_server {
    char *name; /* its directory, for the user */
    struct server_file *logs;
    size_t log_count, log_room;
};

struct log_set {
    char *const *paths; /* as they were given; borrowed */
    size_t path_count;
    struct log_server *servers;
    size_t server_count, server_room;
    struct server_file *snapshots; /* of all servers */
    size_t snapshot_count, snapshot_room;
    int64_t unpack_left; /* bytes that may still be unpacked */
    char **notes;        /* the files left out, and why: for the user */
    size_t note_count, note_room;
};

/* The paths must outlive it. unpack_most: bytes that may be unpacked in all. NULL and a text in *error (the
 * caller frees it): nothing is readable there, why, and the remedy. */
struct log_set *log_set_open(char *const *paths, size_t count, int64_t unpack_most, char **error);
void log_set_free(struct log_set *set); /* NULL is fine */

/* Looks for new files, in directories only. */
void log_set_refresh(struct log_set *set);

/* For reading; the caller closes it. -1: *why says the reason (a text of the file or of strerror()). */
int log_set_read(struct log_set *set, struct server_file *file, const char **why);

#endif
