/*
 * server_facts.h - turns a server's answers into observations for the model.
 *
 * at: when the list was requested. Lists stay the caller's. Each list is logged, too.
 */
#ifndef ELECTOP_PROBE_WATCH_SERVER_FACTS_H
#define ELECTOP_PROBE_WATCH_SERVER_FACTS_H

#include "probe/watch/live_cluster.h"
#include "probe/zookeeper/server_lists.h"

/* took_us: the time for its cheap figures; -1: none arrived. problem NULL: the server is healthy. */
void server_facts_report_server(const struct live_cluster *live, const char *address,
                                const struct server_figures *server_figures, bool reachable, int64_t took_us,
                                const char *problem);

/* The answer with date_s took so long and has just come. Returns how far that server's clock is ahead; reports it
 * if before_us, the one reported last, is another. */
int64_t server_facts_report_clock(const struct live_cluster *live, const char *address, int64_t date_s,
                                  int64_t took_us, int64_t before_us);

/* part: only the cheapest figures were requested. */
void server_facts_report_load(const struct live_cluster *live, const char *address,
                              const struct server_figures *server_figures, bool part);

/* Reports a server that is not polled. ours: our own session is connected to it. problem: why it cannot be
 * polled; or NULL. */
void server_facts_report_unasked(const struct live_cluster *live, const char *address, bool ours,
                                 const char *problem);

void server_facts_report_hidden(const struct live_cluster *live, const char *address, enum hidden_part part,
                                const char *problem);
/* Reports all three lists as hidden, for the same reason. */
void server_facts_report_nothing(const struct live_cluster *live, const char *address, const char *problem);

/* Includes the server's own "now" if the list contains one of our sessions that sent a request just before, at
 * pinged_us (0: unanswered). Call it at once: a delay blurs the observation. counted_us: when the server
 * counted its watches, later in this round; 0: it did not. */
void server_facts_report_connections(const struct live_cluster *live, const char *address, struct moment at,
                                     int64_t pinged_us, int64_t counted_us, uint32_t source,
                                     const struct connection_list *list);

/* source: of the port that answered, as in the next function. from: "adminserver" or "four-letter".
 * all_watches: that server's watches including child watches, counted after counted_us; -1: unknown. */
void server_facts_report_watches(const struct live_cluster *live, const char *address, struct moment at,
                                 const char *from, uint32_t source, const struct watch_list *list,
                                 int64_t all_watches, int64_t counted_us);

/* An empty list counts as hidden: a server that has just lost ZooKeeper's leadership knows no sessions. */
void server_facts_report_sessions(const struct live_cluster *live, const char *address, struct moment at,
                                  const struct session_list *list);

/* The list contains a session of this program. */
bool server_facts_show_ours(const struct live_cluster *live, const struct connection_list *list);
bool server_facts_sessions_show_ours(const struct live_cluster *live, const struct session_list *list);

/* A candidate's session has a newer connection than the model knows, so its watches are unknown. */
bool server_facts_show_moved(const struct live_cluster *live, const struct connection_list *list);

/* The shortest timeout of the sessions there that lead an election; 0: there are none. */
int64_t server_facts_leader_timeout_ms(const struct live_cluster *live, const struct connection_list *list);

#endif
