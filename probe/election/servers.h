/*
 * servers.h - the servers of a cluster: who belongs to it, how each is, and what each one's lists show.
 */
#ifndef ELECTOP_PROBE_ELECTION_SERVERS_H
#define ELECTOP_PROBE_ELECTION_SERVERS_H

#include "probe/election/cluster.h"

/* By its address, made where it is new; NULL: out of memory. */
struct server *servers_get(struct cluster *, const char *address);
void server_end(struct server *);

/* How one answers (OBSERVED_SERVER), with an address. */
void servers_stated(struct model *, struct cluster *, const struct observation *);
/* How much work it has (OBSERVED_LOAD), with an address. */
void servers_load(struct model *, struct cluster *, const struct observation *);
/* It sent a reply that is none (OBSERVED_BAD_REPLY). */
void servers_bad_reply(struct model *, struct cluster *, const struct observation *);
/* One of them did. */
bool servers_sent_bad_replies(const struct cluster *);
/* Its connections, watches or sessions, or why one of these cannot be had. */
void servers_lists(struct model *, struct cluster *, const struct observation *);
/* Who belongs to the ensemble: the others are forgotten. */
void servers_ensemble(struct model *, struct cluster *, const struct observation *);

#endif
