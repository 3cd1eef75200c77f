/*
 * admin_reader.h - AdminServer's answers, read as they arrive into the lists of server_lists.h.
 *
 * The answers of ZooKeeper 3.5 to 3.9; members that are not known are passed over, and an answer without
 * the one that was asked for is refused, with a reason.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_ADMIN_READER_H
#define ELECTOP_PROBE_ZOOKEEPER_ADMIN_READER_H

#include <stddef.h>

#include "probe/zookeeper/server_lists.h"

enum admin_command {
    ADMIN_SERVER_STATS,  /* figures: mode, version, zxid, connections */
    ADMIN_WATCH_SUMMARY, /* figures: watching, watched_paths, watches */
    ADMIN_MONITOR,       /* figures: all_watches, sessions, ephemerals, ... */
    ADMIN_CONNECTIONS,
    ADMIN_WATCHES,
    ADMIN_DUMP,         /* sessions; empty on all servers but ZooKeeper's leader */
    ADMIN_CONFIGURATION /* figures: client_port, server_id, by which it is known whose AdminServer answers */
};
const char *admin_command_word(enum admin_command); /* "watch_summary" */

struct admin_reader;

/* The lists must outlive the reader. NULL: out of memory. */
struct admin_reader *admin_reader_new(enum admin_command, struct server_answer *);
void admin_reader_free(struct admin_reader *);

/* NULL: go on. Else what is wrong, valid as long as the reader. */
const char *admin_reader_feed(struct admin_reader *, const char *bytes, size_t length);

/* The answer is over. NULL: it was whole, and the lists are filled. */
const char *admin_reader_end(struct admin_reader *);

#endif
