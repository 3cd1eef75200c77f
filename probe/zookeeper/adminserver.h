/*
 * adminserver.h - one request to one AdminServer, parsed into lists.
 *
 * Its answers may be megabytes: they are parsed as they arrive, and hold no lock of the server meanwhile, so
 * a reader that stops halfway does no harm.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_ADMINSERVER_H
#define ELECTOP_PROBE_ZOOKEEPER_ADMINSERVER_H

#include "probe/zookeeper/adminserver_parse.h"
#include "probe/zookeeper/http.h"

#define ADMINSERVER_PORT 8080

struct adminserver;

/* problem NULL: answer holds all of it. Else why not, valid during the call, and answer holds nothing. */
typedef void (*adminserver_fn)(void *context, const char *problem, int64_t took_us);

/*
 * answer must stay until fn was called (once, from the loop) or adminserver_cancel(); the part that the
 * command fills must be empty before. NULL: out of memory.
 */
struct adminserver *adminserver_ask(struct http *, const char *host, int port, enum admin_command,
                                    int64_t deadline_ms, struct server_answer *, adminserver_fn,
                                    void *context);

/* fn is not called any more. Only before it was called. */
void adminserver_cancel(struct adminserver *);

#endif
