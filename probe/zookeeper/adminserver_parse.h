/*
 * adminserver_parse.h - AdminServer's answers, read as they arrive into the lists of server_lists.h.
 *
 * The answers of ZooKeeper 3.5 to 3.9; members that are not known are passed over, and an answer without
 * the one that was asked for is refused, with a reason.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_ADMINSERVER_PARSE_H
#define ELECTOP_PROBE_ZOOKEEPER_ADMINSERVER_PARSE_H

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

struct adminserver_parse;

/* The lists must outlive the reader. NULL: out of memory. */
struct adminserver_parse *adminserver_parse_new(enum admin_command, struct server_answer *);
void adminserver_parse_free(struct adminserver_parse *);

/* NULL: go on. Else the error, valid as long as the reader. */
const char *adminserver_parse_feed(struct adminserver_parse *, const char *bytes, size_t length);

/* The answer is over. NULL: it was whole, and the lists are filled. */
const char *adminserver_parse_end(struct adminserver_parse *);

#endif
