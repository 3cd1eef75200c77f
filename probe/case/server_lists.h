/*
 * server_lists.h - the fields of a server's lists (connections, watches, sessions), as differences to the latest list
 * of that server in the stretch.
 */
#ifndef ELECTOP_PROBE_CASE_SERVER_LISTS_H
#define ELECTOP_PROBE_CASE_SERVER_LISTS_H

#include "probe/case/coding.h"
#include "probe/election/observation.h"

void server_lists_connections(struct coding *c, struct observation *o);
void server_lists_watches(struct coding *c, struct observation *o);
void server_lists_sessions(struct coding *c, struct observation *o);
/* A time of the server's clock, -1 if it is unknown, by the observer's at the same time. */
void server_lists_clock(struct coding *c, const struct observation *o, const char *address, int64_t *ms);

#endif
