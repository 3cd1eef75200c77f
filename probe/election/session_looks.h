/*
 * session_looks.h - what the servers show of sessions, and which looks at them count.
 *
 * A look is one list of a server's watches. It counts for a session if (1) the connection lists before and
 * after it show the session on the same connection (address and time of establishment), and (2) a later
 * connection list shows a newer last response: the session was alive there throughout. Each connection
 * list is "after" for the look before it and "before" for the next. Looks that show the same watches on
 * the same connection form a run; two of them some seconds apart are a proof.
 */
#ifndef ELECTOP_PROBE_ELECTION_SESSION_LOOKS_H
#define ELECTOP_PROBE_ELECTION_SESSION_LOOKS_H

#include "probe/election/session_table.h"

/* Its looks have shown the same watches for long enough, on one connection that lived and was idle: the
 * watches are proved from run_us to client_counted_end_us(). */
bool client_proved(const struct client *client);
/* Notes that this connection was used as a proof: see client_moved(). */
void client_is_proved(struct client *client);
/* The proof belongs to a connection that is gone, and says nothing about the new one. */
bool client_moved(const struct client *client);
/* The minimum time from the first look to the connection list that proves its watches; 0: its timeout is
 * unknown. */
int64_t client_proof_us(const struct client *client);
/* The earliest time at which a poll can prove its watches; INT64_MAX: its timeout is unknown. */
int64_t client_due_us(const struct client *client, int64_t now_us);
/* Its looks suffice: it takes a connection list that shows it alive after them. */
bool client_awaits_list(const struct client *client);
/* The end of the latest look that counts; 0: none counts. */
int64_t client_counted_end_us(const struct client *client);
/* Looks from before that time prove nothing any more: a run that began earlier restarts. */
void client_restart_proof(struct client *client, int64_t since_us);
/* Two servers list this session, so its server is unknown. */
bool client_doubled(const struct cluster *cluster, const struct client *client);

/* Takes the servers' lists into the table, and marks elections whose clients changed for diagnosis. */
void session_table_connections(struct cluster *cluster, size_t server, struct moment at,
                               const struct observed_connections *seen);
void session_table_watches(struct cluster *cluster, size_t server, struct moment at,
                           const struct observed_watches *seen);
void session_table_sessions(struct cluster *cluster, size_t server, struct moment at,
                            const struct observed_sessions *seen);
void session_table_hidden(struct cluster *cluster, size_t server, enum hidden_part part);
/* The server has left the ensemble: later indexes move up by one. */
void session_table_server_left(struct cluster *cluster, size_t server);

#endif
