/*
 * adminserver.h - one request to one AdminServer, parsed into lists.
 *
 * Its answers may be megabytes: they are parsed as they arrive, and hold no lock of the server meanwhile, so
 * a reader that stops halfway does no harm.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_ADMINSERVER_H
#define ELECTOP_PROBE_ZOOKEEPER_ADMINSERVER_H

#include <stddef.h>

#include "probe/zookeeper/http.h"
#include "probe/zookeeper/server_lists.h"

/*
 * AdminServer's answers, read as they arrive into the lists of server_lists.h.
 *
 * The answers of ZooKeeper 3.5 to 3.9; members that are not known are passed over, and an answer without
 * the one that was asked for is refused, with a reason.
 */

enum admin_command {
    ADMIN_SERVER_STATS,  /* figures: mode, version, zxid, connections */
    ADMIN_WATCH_SUMMARY, /* figures: watching, watched_paths, watches */
    ADMIN_MONITOR,       /* figures: all_watches, sessions, ephemerals, ... */
    ADMIN_CONNECTIONS,
    ADMIN_WATCHES,
    ADMIN_DUMP,         /* sessions; empty on all servers but ZooKeeper's leader */
    ADMIN_CONFIGURATION /* figures: client_port, server_id, by which it is known whose AdminServer answers */
};

struct adminserver_parse;

/* The lists must outlive the reader. */
struct adminserver_parse *adminserver_parse_new(enum admin_command command, struct server_answer *answer);
void adminserver_parse_free(struct adminserver_parse *adminserver_parse);

/* NULL: go on. Else the error, valid as long as the reader. */
const char *adminserver_parse_feed(struct adminserver_parse *adminserver_parse, const char *bytes,
                                   size_t length);

/* The answer is over. NULL: it was whole, and the lists are filled. */
const char *adminserver_parse_end(struct adminserver_parse *adminserver_parse);

#define ADMINSERVER_PORT 8080

struct adminserver;

/* problem NULL: answer holds all of it. Else why not, valid during the call, and answer holds nothing. */
typedef void (*adminserver_fn)(void *context, const char *problem, int64_t took_us);

/*
 * answer must stay until fn was called (once, from the loop) or adminserver_cancel(); the part that the
 * command fills must be empty before. NULL: see http_get().
 */
struct adminserver *adminserver_ask(struct http *http, const char *host, int port, enum admin_command command,
                                    int64_t deadline_ms, struct server_answer *answer, adminserver_fn fn,
                                    void *context);

/* fn is not called any more. Only before it was called. */
void adminserver_cancel(struct adminserver *adminserver);

#endif
