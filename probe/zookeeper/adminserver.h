/*
 * adminserver.h - sends one request to one AdminServer and parses the answer into lists.
 *
 * Answers may be megabytes, so they are parsed as they arrive. Meanwhile they hold no lock of the server, so
 * a reader that stops halfway does no harm.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_ADMINSERVER_H
#define ELECTOP_PROBE_ZOOKEEPER_ADMINSERVER_H

#include <stddef.h>

#include "probe/zookeeper/http.h"
#include "probe/zookeeper/server_lists.h"

/*
 * Parses AdminServer's answers, as they arrive, into the lists of server_lists.h.
 *
 * Accepts the answers of ZooKeeper 3.5 to 3.9. Unknown members are ignored; an answer without the requested
 * member is refused, with a reason.
 */

enum admin_command {
    ADMIN_SERVER_STATS,  /* figures: mode, version, zxid, connections */
    ADMIN_WATCH_SUMMARY, /* figures: watching, watched_paths, watches */
    ADMIN_MONITOR,       /* figures: all_watches, sessions, ephemerals, ... */
    ADMIN_CONNECTIONS,
    ADMIN_WATCHES,
    ADMIN_DUMP,          /* sessions; empty on all servers but ZooKeeper's leader */
    ADMIN_CONFIGURATION, /* figures: client_port, server_id; they show which server the AdminServer belongs to
                          */
    ADMIN_WATCH_DETAILS /* watches, those on children too, of each kind; refused where they are more than 1,000.
                            Of no release yet: ZOOKEEPER-5069 */
};

struct adminserver_parse;

/* The lists must outlive the reader. */
struct adminserver_parse *adminserver_parse_new(enum admin_command command, struct server_answer *answer);
void adminserver_parse_free(struct adminserver_parse *adminserver_parse);

/* Returns NULL to continue, else the error, valid as long as the reader. */
const char *adminserver_parse_feed(struct adminserver_parse *adminserver_parse, const char *bytes,
                                   size_t length);

/* Ends the answer. NULL: it was complete, and the lists are filled. */
const char *adminserver_parse_end(struct adminserver_parse *adminserver_parse);

#define ADMINSERVER_PORT 8080

struct adminserver;

/* problem NULL: answer is complete. Otherwise problem says why not, is valid during the call, and answer is
 * empty. */
typedef void (*adminserver_fn)(void *context, const char *problem, int64_t took_us);

/*
 * answer must stay until fn was called (once, from the loop) or adminserver_cancel(). The part that the
 * command fills must be empty before. NULL: see http_get().
 */
struct adminserver *adminserver_ask(struct http *http, const char *host, int port, enum admin_command command,
                                    int64_t deadline_ms, struct server_answer *answer, adminserver_fn fn,
                                    void *context);

/* Prevents the call of fn. Only allowed before fn was called. */
void adminserver_cancel(struct adminserver *adminserver);

#endif
