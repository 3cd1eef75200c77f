/*
 * ensemble_watch.h - finds the servers of a cluster, and has each polled separately (server_poll.h).
 *
 * They come from the configuration, else from /zookeeper/config as far as it knows more of them than
 * the connect string, else from the connect string. /zookeeper/config is read again from time to time, and
 * sooner where a server falls silent: a former member is not polled any more, a new one
 * is. A member without a known address is reported as a server that cannot be polled, so that its facts stay
 * unknown.
 */
#ifndef ELECTOP_PROBE_WATCH_ENSEMBLE_WATCH_H
#define ELECTOP_PROBE_WATCH_ENSEMBLE_WATCH_H

#include "probe/watch/live_cluster.h"

/* NULL: libcurl cannot begin, or the cluster names no server. */
struct servers *servers_new(struct live_cluster *live);
void servers_free(struct servers *servers);

/* Our session is connected: who belongs to the ensemble can be read. */
void servers_connected(struct servers *servers);

/* Something of the cluster was observed: once this turn of the loop has read all its input, the servers are
   asked about it where that cannot wait. In turns without news nothing is done. */
void servers_news(struct servers *servers);

/* Ask all of them everything, now. */
void servers_demand(struct servers *servers);
/* A poll on demand is not complete yet. */
bool servers_are_demanded(const struct servers *servers);

/* The i-th known server, as observations name it: NULL where its address is not known. */
size_t servers_count(const struct servers *servers);
const char *servers_address(const struct servers *servers, size_t i);

/* The address by which observations call the one that a session calls so; NULL: it is none of them. */
const char *servers_name(const struct servers *servers, const char *server);

/* It is one of them. */
bool servers_ask(const struct servers *servers, const char *address);

/* Each has answered everything, or is known to hide it, in this many rounds at least. */
unsigned servers_rounds(const struct servers *servers);

#endif
