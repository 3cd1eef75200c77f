/*
 * logged_ends.h - the latest ends of znodes in a server's transaction log. Private to the model.
 *
 * The log may be read before or after the loss is noticed.
 */
#ifndef ELECTOP_PROBE_ELECTION_LOGGED_ENDS_H
#define ELECTOP_PROBE_ELECTION_LOGGED_ENDS_H

#include "probe/election/failover.h"
#include "probe/election/observation.h"

struct cluster;
struct election;

#define LOGGED_ENDS_KEPT 256
struct logged_end {
    char *path;
    char *evidence; /* of one from before the log was followed; else NULL */
    char *identity; /* the transaction's, or NULL */
    int64_t read_us;
    int64_t ahead_us; /* the cluster's when its time was taken: AdminServer may answer later */
    struct observed_transaction transaction;
};
struct logged_ends {
    struct logged_end ring[LOGGED_ENDS_KEPT];
    size_t next;
};

/* Copies the texts. before: it is from before the log was followed. */
void logged_ends_add(struct cluster *cluster, struct moment at, const char *path,
                     const struct observed_transaction *transaction, bool before);
/* When the znode went: as written in the log, or when that was read, a moment later. */
int64_t logged_end_us(const struct logged_end *end, const struct cluster *cluster);
/* The latest first; i below LOGGED_ENDS_KEPT. NULL: there are not so many. */
const struct logged_end *logged_ends_at(const struct cluster *cluster, size_t i);
/* How the last candidate of an election without any ended, or the last one before the first, as a log says that was
 * read afterwards. Its texts are the log's. False: it does not say. */
bool logged_ends_before(const struct election *election, struct moment now, struct failover *failover);
void logged_ends_free(struct logged_ends *ends); /* NULL is fine */

#endif
