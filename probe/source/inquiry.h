/*
 * inquiry.h - one server, asked round by round what only it knows: its watches, connections, sessions.
 *
 * A round asks the cheap figures first; then, where anything moved since the last, the watches, and always
 * the connections after them, so that each list of watches stands between two of connections; then, at
 * ZooKeeper's leader, the sessions. AdminServer is preferred; where it does not answer, four-letter words
 * do, as far as asking them harms nobody: a server writes their answers blockingly and holds locks
 * meanwhile, so only those are asked that fit into the socket's buffers even if nobody reads them.
 * What cannot be had is told as OBSERVED_HIDDEN, with the reason and what to switch on.
 *
 * Every server is asked by itself. The next round comes no sooner than the setting `every` says (for a
 * server with a leader's session: a third of the shortest such timeout, if that is less), and than 100
 * times what this round took at the server.
 */
#ifndef ELECTOP_PROBE_SOURCE_INQUIRY_H
#define ELECTOP_PROBE_SOURCE_INQUIRY_H

#include "probe/source/live.h"
#include "probe/source/places.h"
#include "probe/zookeeper/http.h"

struct inquiry;

/* Tells that the server is there; asks nothing yet. Copies place. NULL: out of memory. */
struct inquiry *inquiry_new(struct live *, struct places *, struct http *, const struct server_place *);
void inquiry_free(struct inquiry *);

/* The first round. With the setting `every` off only the figures: the rest is asked for on demand. */
void inquiry_begin(struct inquiry *);

/*
 * A full round, now or, where one is under way, after it. Rounds after it come by themselves unless the
 * setting `every` is off.
 */
void inquiry_demand(struct inquiry *);

/* The next round comes as soon as the cost of the last one allows: a leader's end is being looked into. */
void inquiry_hasten(struct inquiry *);

/* What was demanded has not come yet. */
bool inquiry_is_demanded(const struct inquiry *);

/* How many rounds have been completed: each part was told, or known to be hidden. */
unsigned inquiry_rounds(const struct inquiry *);

#endif
