/*
 * session_looks.h - what the servers show of sessions, and the looks at them that count.
 *
 * A look at a session counts when its server's connection list before and after the watch list shows the
 * same connection (address and establishment), and a later list shows a newer last response of it: then it
 * was alive there all the while. Each list serves as "after" of the look before it and as "before" of the
 * next. Looks that show the same watches on the same connection make a run; what two of them show some
 * seconds apart is proved.
 */
#ifndef ELECTOP_PROBE_ELECTION_SESSION_LOOKS_H
#define ELECTOP_PROBE_ELECTION_SESSION_LOOKS_H

#include "probe/election/session_table.h"

/* Looks at it have shown the same watches for long enough, on one connection that lived and was idle:
   they are proved for the time from run_us to client_counted_end_us(). */
bool client_proved(const struct client *client);
/* Something is proved by that. */
void client_is_proved(struct client *client);
/* The proof was made on a connection that is gone: it says nothing about the new one. */
bool client_moved(const struct client *client);
/* So far apart its looks must lie for that; 0: its timeout is not known. */
int64_t client_apart_us(const struct client *client);
/* 0: no look of the run counts. */
int64_t client_counted_end_us(const struct client *client);
/* Looks from before then prove nothing any more: its run begins anew where it began earlier. */
void client_look_again(struct client *client, int64_t since_us);
/* Two servers list it: which of them it is on is not known. */
bool client_doubled(const struct cluster *cluster, const struct client *client);

/* What the servers show, into the table; elections whose clients changed are marked for diagnosis. */
void session_table_connections(struct cluster *cluster, size_t server, struct moment at,
                               const struct observed_connections *seen);
void session_table_watches(struct cluster *cluster, size_t server, struct moment at,
                           const struct observed_watches *seen);
void session_table_sessions(struct cluster *cluster, size_t server, struct moment at,
                            const struct observed_sessions *seen);
void session_table_hidden(struct cluster *cluster, size_t server, enum hidden_part part);
/* It does not belong to the ensemble any more: those behind it move up by one. */
void session_table_server_left(struct cluster *cluster, size_t server);

#endif
