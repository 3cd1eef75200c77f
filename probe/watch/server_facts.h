/*
 * server_facts.h - a server's answers as observations for the model.
 *
 * at: when the list was requested. Lists stay the caller's. Each list is logged, too.
 */
#ifndef ELECTOP_PROBE_WATCH_SERVER_FACTS_H
#define ELECTOP_PROBE_WATCH_SERVER_FACTS_H

#include "probe/watch/live_cluster.h"
#include "probe/zookeeper/server_lists.h"

/* took_us: of its cheap figures; -1: none came. problem NULL: it is well. */
void server_facts_report_server(const struct live_cluster *live, const char *address,
                                const struct server_figures *server_figures, bool reachable, int64_t took_us,
                                const char *problem);

/* part: it was asked for its cheapest figures alone. */
void server_facts_report_load(const struct live_cluster *live, const char *address,
                              const struct server_figures *server_figures, bool part);

/* Of one that is not asked. ours: our own session is connected to it. problem: why it cannot be; or NULL. */
void server_facts_report_unasked(const struct live_cluster *live, const char *address, bool ours,
                                 const char *problem);

void server_facts_report_hidden(const struct live_cluster *live, const char *address, enum hidden_part part,
                                const char *problem);
/* All three parts, for the same reason. */
void server_facts_report_nothing(const struct live_cluster *live, const char *address, const char *problem);

/* The server's own "now" goes with them where a session of ours is among them, which sent a request just
   before, at pinged_us (0: it was not answered). Pass them on at once: the time until then is part of the
   observation. counted_us: in this round the server counted its watches after that; 0: it did not. */
void server_facts_report_connections(const struct live_cluster *live, const char *address, struct moment at,
                                     int64_t pinged_us, int64_t counted_us, uint32_t source,
                                     const struct connection_list *list);

/* source: of the port that answered, as the next one's. from: "adminserver" or "four-letter". all_watches: of that server, child watches too, counted after
   counted_us; -1: unknown. */
void server_facts_report_watches(const struct live_cluster *live, const char *address, struct moment at,
                                 const char *from, uint32_t source, const struct watch_list *list,
                                 int64_t all_watches, int64_t counted_us);

/* An empty list is hidden: a server that has just lost ZooKeeper's lead knows none. */
void server_facts_report_sessions(const struct live_cluster *live, const char *address, struct moment at,
                                  const struct session_list *list);

/* A session of this program is among these. */
bool server_facts_show_ours(const struct live_cluster *live, const struct connection_list *list);
/* ... and no other server can list it: a server that it has left keeps its old connection for up to its timeout. */
bool server_facts_prove_ours(const struct live_cluster *live, const struct connection_list *list);
bool server_facts_sessions_show_ours(const struct live_cluster *live, const struct session_list *list);

/* A candidate's session has a younger connection than the model knows: nothing is known of the watches on it. */
bool server_facts_show_moved(const struct live_cluster *live, const struct connection_list *list);

/* The shortest timeout of the sessions there that lead an election; 0: none does. */
int64_t server_facts_leader_timeout_ms(const struct live_cluster *live, const struct connection_list *list);

#endif
