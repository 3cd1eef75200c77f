/*
 * watch_proof.h - which polls of a server prove what a session watches.
 *
 * A poll is one list of a server's watches. It counts for a session if (1) the connection lists before and
 * after it show the session on the same connection (address and time of establishment), and (2) a later
 * connection list shows a newer last response: the session was alive there throughout. Each connection
 * list is "after" for the poll before it and "before" for the next. Polls that show the same watches on
 * the same connection form a series; two of them some seconds apart are a proof.
 */
#ifndef ELECTOP_PROBE_ELECTION_WATCH_PROOF_H
#define ELECTOP_PROBE_ELECTION_WATCH_PROOF_H

#include "probe/election/session_table.h"

/* Its polls have shown the same watches for long enough, on one connection that lived and was idle: the
 * watches are proved from series_us to client_counted_end_us(). */
bool client_proved(const struct client *client);
/* Notes that this connection was used as a proof: see client_moved(). */
void client_is_proved(struct client *client);
/* The proof belongs to a connection that is gone, and says nothing about the new one. */
bool client_moved(const struct client *client);
/* The minimum time from the first poll to the connection list that proves its watches; 0: its timeout is
 * unknown. */
int64_t client_proof_us(const struct client *client);
/* The earliest time at which a poll can prove its watches; INT64_MAX: its timeout is unknown. */
int64_t client_due_us(const struct client *client, int64_t now_us);
/* Its polls suffice: it takes a connection list that shows it alive after them. */
bool client_awaits_list(const struct client *client);
/* The end of the latest poll that counts; 0: none counts. */
int64_t client_counted_end_us(const struct client *client);
/* Polls from before that time prove nothing any more: a series that began earlier restarts. */
void client_restart_proof(struct client *client, int64_t since_us);
/* A client that has stopped making requests for a while is idle from its last one on: so its series restarts. */
void client_restart_busy(struct client *client);
/* The series ends: its watches or its connection have changed. */
void client_series_end(struct client *client);
/*
 * A passive client waits for a notification. No list shows that; the proof is that the client makes no request
 * for 30 s and for twice its longest pause so far, or the mean one if its requests are many (a client that polls
 * would read again), nor, if it ever had a watch, for 30 s after its predecessor's end at passed_us, which it may have
 * been notified of. passed_us 0: no predecessor ended.
 */
bool client_is_passive(const struct client *client, int64_t passed_us);
/* When a list of connections may prove that; INT64_MAX: it has requests outstanding. */
int64_t client_passive_at_us(const struct client *client);
/* Another session was seen to watch or to ask for it then, perhaps, and may do so again. helped_us 0: none was. */
bool client_is_helped(const struct client *client, int64_t helped_us);
/* From when on it may be known that none does; 0: at once. */
int64_t client_alone_at_us(int64_t helped_us);
/* When it was seen to make requests, such that it may help another for as long as it is not passive itself; 0: it is
 * passive. */
int64_t client_asks_us(const struct client *client);
/* It has requested nothing since then, for 10 s. */
bool client_let_pass(const struct client *client, int64_t passed_us);
/* A list of connections, requested at that time, still shows it: the poll before that list now lies between two
 * lists. True: that may change its findings. */
bool client_listed(struct client *client, struct moment at);

#endif
