/*
 * server_poll.h - one server, asked round by round what only it knows: its watches, connections, sessions.
 *
 * A round asks the cheap figures first; then, where anything moved since the last, the watches, and always
 * the connections after them, so that each list of watches stands between two of connections; then, at
 * ZooKeeper's leader, the sessions. AdminServer is preferred; where it does not answer, four-letter words
 * do, as far as asking them harms nobody: a server writes their answers blockingly and holds locks
 * meanwhile, so only those are asked that fit into the socket's buffers even if nobody reads them.
 * What cannot be had is told as OBSERVED_HIDDEN, with the reason and what to switch on.
 *
 * Every server is asked by itself. The next round comes after the setting `every`, or sooner: after a third
 * of the shortest timeout of a session that leads on it; soon after candidates came or went, a leader's
 * connection has gone, or when a look may settle what is suspected. But never sooner than the budget allows
 * (struct poll_budget): at most a hundredth of the server's time, by what such answers cost there. So where
 * up to a thousand sessions are connected, a round costs less than 20 ms, and the bound on the interval is a
 * third of the shortest leader's timeout; where more are, connections alone are asked for in between. A
 * restarted server begins with a budget of its own.
 */
#ifndef ELECTOP_PROBE_WATCH_SERVER_POLL_H
#define ELECTOP_PROBE_WATCH_SERVER_POLL_H

#include "probe/watch/live_cluster.h"
#include "probe/watch/server_address.h"
#include "probe/zookeeper/http.h"

struct server_poll;

/* Reports that the server exists; polls nothing yet. Copies place. NULL: out of memory. */
struct server_poll *server_poll_new(struct live_cluster *, struct server_addresses *, struct http *,
                                    const struct server_address *);
void server_poll_free(struct server_poll *);

/* The first round. With the setting `every` off only the figures: the rest is asked for on demand. */
void server_poll_begin(struct server_poll *);

/*
 * A full round, now or, where one is under way, after it. Rounds after it come by themselves unless the
 * setting `every` is off.
 */
void server_poll_demand(struct server_poll *);

/* The next round comes as soon as the cost of the last one allows: a leader's end is being looked into. */
void server_poll_hasten(struct server_poll *);

/* Candidates came or went: their sessions are looked at soon. */
void server_poll_changed(struct server_poll *);
/* A leader's connection has gone from some server's list: here it may be, or its absence is proved. */
void server_poll_missed(struct server_poll *);

/* The poll on demand is not complete yet. */
bool server_poll_is_demanded(const struct server_poll *);

/* How many rounds have been completed: each part was reported, or is known to be hidden. */
unsigned server_poll_rounds(const struct server_poll *);

#endif
