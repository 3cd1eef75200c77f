/*
 * server_marks.h - what every server says of itself at one moment, to be held against another: how many
 * transactions, connections, watches, sessions and ephemeral znodes there are.
 *
 * Cheap figures only: srvr and mntr, else AdminServer's monitor. What cannot be had is unknown.
 */
#ifndef ELECTOP_PROBE_INJECT_SERVER_MARKS_H
#define ELECTOP_PROBE_INJECT_SERVER_MARKS_H

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "config/settings.h"

#define SERVER_MARKS_MOST 16

/* -1: not known. */
struct server_mark {
    char address[128];
    int64_t zxid, connections, watches, sessions, ephemerals;
};

struct server_marks;

typedef void (*server_marks_fn)(void *context, const struct server_mark *, size_t count);

/* Asks the servers of the connect string; fn is called once, within some seconds. NULL: nothing may be asked,
   or out of memory. */
struct server_marks *server_marks_ask(uv_loop_t *, const struct cluster_settings *, server_marks_fn,
                                      void *context);
/* fn is not called any more. NULL is fine. Not after fn was called. */
void server_marks_cancel(struct server_marks *);

#endif
