/*
 * fake_servers.h - the servers of an ensemble as they would be asked: sessions, their connections and
 * watches, for tests of the pure model.
 *
 * Connected sessions answer all the time, unless silent. Wrong use ends the test program.
 */
#ifndef ELECTOP_TESTS_SUPPORT_FAKE_SERVERS_H
#define ELECTOP_TESTS_SUPPORT_FAKE_SERVERS_H

#include "probe/election/model.h"

struct fake_servers;

/* servers: "zk1:2181" and so on, count of them. */
struct fake_servers *fake_servers_new(size_t count);
void fake_servers_free(struct fake_servers *);

/* Connects (or moves) a session to a server, from 1; its watches stay, its connection is a new one. */
void fake_servers_connect(struct fake_servers *, uint64_t session, unsigned server, const char *address,
                          int64_t now_ms);
/* Its connection goes; the session lives. */
void fake_servers_away(struct fake_servers *, uint64_t session);
/* It is over: away, without watches, and in no list. */
void fake_servers_end(struct fake_servers *, uint64_t session);
void fake_servers_timeout(struct fake_servers *, uint64_t session, int timeout_ms);
void fake_servers_silent(struct fake_servers *, uint64_t session, bool silent);
/* It makes a request; it waits for this many answers. */
void fake_servers_request(struct fake_servers *, uint64_t session);
void fake_servers_outstanding(struct fake_servers *, uint64_t session, int outstanding);
/* Its last request was this (a static word), and this transaction. */
void fake_servers_did(struct fake_servers *, uint64_t session, const char *operation, int64_t zxid);
/* This session is our own. */
void fake_servers_own(struct fake_servers *, uint64_t session);
/* Our own session had seen this transaction when the next lists are asked for. */
void fake_servers_caught_up(struct fake_servers *, int64_t zxid);

void fake_servers_watch(struct fake_servers *, uint64_t session, const char *path);
void fake_servers_unwatch(struct fake_servers *, uint64_t session, const char *path);
/* Everybody's watch on this path fires. */
void fake_servers_fire(struct fake_servers *, const char *path);
bool fake_servers_has_watch(const struct fake_servers *, uint64_t session, const char *path);

/* So many watches on children are our own, wherever they are counted. */
void fake_servers_own_children(struct fake_servers *, int64_t count);
/* Each server counts so many watches on children in its rounds; -1: it does not say. */
void fake_servers_child_watches(struct fake_servers *, int64_t count);
/* Of all servers; 0, as at first: they do not tell it. */
void fake_servers_tick(struct fake_servers *, int tick_ms);

/* The observations that asking server (from 1) brings now. */
void fake_servers_connections(struct fake_servers *, struct model *, struct moment, unsigned server);
void fake_servers_watch_list(struct fake_servers *, struct model *, struct moment, unsigned server,
                             int64_t child_watches, uint32_t source);
void fake_servers_sessions(struct fake_servers *, struct model *, struct moment);
/* Its state alone, with the latest transaction of all. */
void fake_servers_state(struct model *, struct moment, int64_t zxid);
/* A follower that answers, or does not. */
void fake_servers_follower(struct model *, struct moment, unsigned server, bool answers);
void fake_servers_hide(struct fake_servers *, struct model *, struct moment, unsigned server,
                       enum hidden_part);
/* text: "whole", "part" or "unknown", and the numbers of those that belong to the ensemble. */
void fake_servers_ensemble(struct model *, struct moment, const char *text);
/* State and lists, as a round brings them: connections, watches, connections. */
void fake_servers_round(struct fake_servers *, struct model *, struct moment, unsigned server);

#endif
