/*
 * ensemble_watch.h - finds the servers of a cluster and starts a poll for each (server_poll.h). Its functions
 * are servers_*.
 *
 * The list of servers comes from the configuration. Otherwise it comes from /zookeeper/config if that lists
 * more of them than the connect string, else from the connect string. /zookeeper/config is read again at
 * intervals, and sooner if a server falls silent: former members are dropped and new members added. A member
 * without a known address is reported as a server that cannot be polled, so its facts stay unknown.
 */
#ifndef ELECTOP_PROBE_WATCH_ENSEMBLE_WATCH_H
#define ELECTOP_PROBE_WATCH_ENSEMBLE_WATCH_H

#include "probe/watch/live_cluster.h"

/* Returns NULL if libcurl cannot start or the cluster names no server. */
struct servers *servers_new(struct live_cluster *live);
void servers_free(struct servers *servers);

/* Our session is connected, so the list of members can be read. */
void servers_connected(struct servers *servers);

/* A fact of the cluster was observed. Once this turn of the loop has read all its input, the servers are
 * polled if that is urgent. Turns without news cost nothing. */
void servers_news(struct servers *servers);

/* Polls all servers for everything, now. */
void servers_demand(struct servers *servers);
/* A poll on demand is not complete yet. */
bool servers_are_demanded(const struct servers *servers);

/* The i-th known server, as observations name it: NULL where its address is not known. */
size_t servers_count(const struct servers *servers);
const char *servers_address(const struct servers *servers, size_t i);

/* Translates a session's name for a server into the address that observations use; NULL: unknown server. */
const char *servers_name(const struct servers *servers, const char *server);

/* The address belongs to one of the polled servers. */
bool servers_ask(const struct servers *servers, const char *address);

/* The number of rounds that every server has completed. A round is complete once each fact was answered or is
 * known to be hidden. */
unsigned servers_rounds(const struct servers *servers);

#endif
