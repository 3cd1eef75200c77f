/*
 * servers.h - finds the servers of a cluster, and has each asked by itself (inquiry.h).
 *
 * Who they are is said by the configuration, else by /zookeeper/config as far as it knows more of them than
 * the connect string, else by the connect string. A member that nobody can say the address of is told as a
 * server that cannot be asked, so that what it holds stays unknown.
 */
#ifndef ELECTOP_PROBE_SOURCE_SERVERS_H
#define ELECTOP_PROBE_SOURCE_SERVERS_H

#include "probe/source/live.h"

/* NULL: out of memory. */
struct servers *servers_new(struct live *);
void servers_free(struct servers *);

/* Our session is connected: who belongs to the ensemble can be read. */
void servers_connected(struct servers *);

/* One of them is known to answer its clients on this port. */
bool servers_have_port(const struct servers *, int port);

/* Ask all of them everything, now. */
void servers_demand(struct servers *);
/* What was demanded has not all come yet. */
bool servers_are_demanded(const struct servers *);

/* The i-th of those that are known, as observations call it: NULL where nobody knows how to reach it. */
size_t servers_count(const struct servers *);
const char *servers_address(const struct servers *, size_t i);

/* Each has answered everything, or what is hidden is known, in this many rounds at least. */
unsigned servers_rounds(const struct servers *);

#endif
