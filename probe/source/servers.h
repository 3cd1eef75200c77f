/*
 * servers.h - asks each server of a cluster how it is, each by itself and with its own deadline.
 *
 * By "srvr", which every ZooKeeper answers unless it was switched off: mode, latest zxid, connections,
 * version, and how long the answer took. A server that is slow or gone is told as such and delays nobody.
 */
#ifndef ELECTOP_PROBE_SOURCE_SERVERS_H
#define ELECTOP_PROBE_SOURCE_SERVERS_H

#include "probe/source/live.h"

/* Begins asking at once; NULL: out of memory. */
struct servers *servers_new(struct live *);
void servers_free(struct servers *);

/* Each has answered, or has been found not to, at least once. */
bool servers_looked(const struct servers *);

/* What "srvr" says. False: this is no such answer (then *problem says what it is; static text). */
bool srvr_parse(const char *text, struct observed_server *out, char *version, size_t version_size,
                const char **problem);

#endif
