/*
 * dangers.h - what a server does that endangers elections: it is not about one election, so it is no finding
 * of one.
 */
#ifndef ELECTOP_PROBE_ELECTION_DANGERS_H
#define ELECTOP_PROBE_ELECTION_DANGERS_H

#include "probe/election/finding.h"
#include "probe/election/model.h"

#define SERVER_DANGERS_MOST 6

struct server_danger {
    const char *code; /* "server-read-only"; static */
    enum severity severity;
    char evidence[512];
    const char *advice; /* static */
};

/* Those of one server, the worst first; returns how many. Of a server that does not answer: none, since
   nothing is known of it now. */
size_t server_dangers(const struct cluster *cluster, const struct server *server,
                      struct server_danger dangers[SERVER_DANGERS_MOST]);

/* The shortest session timeout of any candidate there, in ms; 0: none is known. */
int cluster_shortest_timeout_ms(const struct cluster *cluster);

#endif
