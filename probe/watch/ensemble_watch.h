/*
 * ensemble_watch.h - finds the servers of a cluster and starts a poll for each (server_poll.h).
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
struct ensemble_watch *ensemble_watch_new(struct live_cluster *live);
void ensemble_watch_free(struct ensemble_watch *servers);

/* Our session is connected, so the list of members can be read. */
void ensemble_watch_connected(struct ensemble_watch *servers);

/* A fact of the cluster was observed. Once this turn of the loop has read all its input, the servers are
 * polled if that is urgent. Turns without news cost nothing. */
void ensemble_watch_news(struct ensemble_watch *servers);

/* Polls all servers for everything, now. */
void ensemble_watch_demand(struct ensemble_watch *servers);
/* A poll on demand is not complete yet. */
bool ensemble_watch_is_demanded(const struct ensemble_watch *servers);

/* The i-th known server, as observations name it: NULL where its address is not known. */
size_t ensemble_watch_count(const struct ensemble_watch *servers);
const char *ensemble_watch_address(const struct ensemble_watch *servers, size_t i);

/* Translates a session's name for a server into the address that observations use; NULL: unknown server. */
const char *ensemble_watch_address_of(const struct ensemble_watch *servers, const char *server);

/* The address belongs to one of the polled servers. */
bool ensemble_watch_polls(const struct ensemble_watch *servers, const char *address);

/* The number of rounds that every server has completed. A round is complete once each fact was answered or is
 * known to be hidden. */
unsigned ensemble_watch_rounds(const struct ensemble_watch *servers);

#endif
