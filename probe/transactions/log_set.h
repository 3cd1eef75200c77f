/*
 * log_set.h - the logs and snapshots below some directories, by server.
 *
 * Each directory that holds logs is one server's. Archives and compressed files are unpacked into a temporary
 * directory ($TMPDIR, /tmp), which goes with the set. Nothing else is written.
 */
#ifndef ELECTOP_PROBE_TRANSACTIONS_LOG_SET_H
#define ELECTOP_PROBE_TRANSACTIONS_LOG_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log_file {
    char *path;
    int64_t zxid; /* of its first transaction, as its name says */
};

struct log_server {
    char *name; /* its directory, for the user */
    struct log_file *logs;
    size_t log_count, log_room;
};

struct snapshot_file {
    char *path;
    int64_t zxid;
};

struct log_set {
    char *const *paths; /* as they were given; borrowed */
    size_t path_count;
    struct log_server *servers;
    size_t server_count, server_room;
    struct snapshot_file *snapshots; /* of all servers */
    size_t snapshot_count, snapshot_room;
    char *temporary; /* NULL: nothing was unpacked */
    char **unpacked; /* files in it */
    size_t unpacked_count, unpacked_room;
    char **notes; /* the files left out, and why: for the user */
    size_t note_count, note_room;
};

/* The paths must outlive it. NULL and a text in *error (the caller frees it): nothing is readable there, why,
 * and the remedy. */
struct log_set *log_set_open(char *const *paths, size_t count, char **error);
void log_set_free(struct log_set *set); /* NULL is fine */

/* Looks for new files, in directories only. */
void log_set_refresh(struct log_set *set);

#endif
