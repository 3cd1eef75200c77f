/*
 * servers.h - finds the servers of a cluster, and has each asked by itself (inquiry.h).
 *
 * Who they are is said by the configuration, else by /zookeeper/config as far as it knows more of them than
 * the connect string, else by the connect string. /zookeeper/config is read again from time to time, and
 * sooner where a server falls silent: whoever has left the ensemble is not asked any more, whoever has joined
 * is. A member that nobody can say the address of is told as a server that cannot be asked, so that what it
 * holds stays unknown.
 */
#ifndef ELECTOP_PROBE_SOURCE_SERVERS_H
#define ELECTOP_PROBE_SOURCE_SERVERS_H

#include "probe/source/live.h"

/* NULL: out of memory. */
struct servers *servers_new(struct live *);
void servers_free(struct servers *);

/* Our session is connected: who belongs to the ensemble can be read. */
void servers_connected(struct servers *);

/* Ask all of them everything, now. */
void servers_demand(struct servers *);
/* What was demanded has not all come yet. */
bool servers_are_demanded(const struct servers *);

/* The i-th of those that are known, as observations call it: NULL where nobody knows how to reach it. */
size_t servers_count(const struct servers *);
const char *servers_address(const struct servers *, size_t i);

/* It is one of them. */
bool servers_ask(const struct servers *, const char *address);

/* Each has answered everything, or what is hidden is known, in this many rounds at least. */
unsigned servers_rounds(const struct servers *);

#endif
