/*
 * read_account.h - the one account of the reads of a cluster: no part of the program can read in a loop.
 *
 * News pays for reads: a notification, a new connection, a list that follows one of those. All other reads
 * share READS_PER_S, and so does session_get_again(), which only confirms. So an answer never leads to the same
 * read at once. A read that the account cannot pay waits; its caller notices only the delay. Of what waits,
 * session_get_again() may have every second turn for what decides whether anybody leads. The walk of discovery
 * and the polls of servers (their pings, syncs, and lists without a watch after a sync) have separate rates;
 * they and the dashboard's probes are only counted here.
 */
#ifndef ELECTOP_PROBE_ZOOKEEPER_READ_ACCOUNT_H
#define ELECTOP_PROBE_ZOOKEEPER_READ_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

/* The rate while nothing changes. */
#define READS_PER_S 3

struct read_account;
struct request;
struct session;

struct read_figures {
    uint64_t sent, delayed; /* reads since the beginning; those of them that waited, or still wait */
    size_t waiting;
};

/* delays: called when a read has to wait, at most once a minute. It may be NULL. */
struct read_account *read_account_new(uv_loop_t *loop, void (*delays)(void *context, const char *path),
                                      void *context);
/* All its sessions must be closed. NULL is fine. */
void read_account_free(struct read_account *account);

struct read_figures read_account_figures(const struct read_account *account);

/* News allows this many reads more. Never call this because of an answer. */
void read_account_grant(struct read_account *account, size_t reads);
/* True: one read may be sent now. */
bool read_account_take(struct read_account *account, bool may_be_news);
/* A read that another limit allows. */
void read_account_count(struct read_account *account);

/* ---- for session_calls.c and session.c ---- */

/* A list answered that a notification or a new connection called for: its entries may be read. */
void read_account_listed(struct read_account *account, size_t entries);
/* Keeps a request until it can be paid, and then sends it. */
void read_account_keep(struct read_account *account, struct request *request);
/* The session has lost its connection: its waiting reads are answered with SESSION_LOST. */
void read_account_lost(struct read_account *account, const struct session *session);

#endif
