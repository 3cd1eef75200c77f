/*
 * dangers.h - conditions of a server that endanger elections. They concern no single election, so they are
 * not findings of one.
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

/* The dangers of one server, worst first; returns their number. None for a server that does not answer, since
 * its present state is unknown. */
size_t server_dangers(const struct cluster *cluster, const struct server *server,
                      struct server_danger dangers[SERVER_DANGERS_MOST]);

/* The shortest session timeout of any candidate there, in ms; 0: unknown. */
int cluster_shortest_timeout_ms(const struct cluster *cluster);

#endif
