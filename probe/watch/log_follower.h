/*
 * log_follower.h - follows the transaction log of a server on this machine, in addition to watching its
 * cluster.
 *
 * A server writes a transaction to its log before it takes effect. So the log says with certainty what ended a
 * candidate, at most a fifth of a second after a watch reported the deletion. The newest logs are first read from their
 * beginning, for the end of the last candidate of an election without a leader. Files are only read, in a
 * separate thread, so that a slow file never blocks the loop.
 */
#ifndef ELECTOP_PROBE_WATCH_LOG_FOLLOWER_H
#define ELECTOP_PROBE_WATCH_LOG_FOLLOWER_H

#include <stdbool.h>

struct live_cluster;
struct log_follower;

/* Starts to follow if the settings name a directory. NULL: they name none. One that cannot be read is logged,
 * and tried again. */
struct log_follower *log_follower_new(struct live_cluster *live);
/* The log up to its begin is known, or cannot be read. NULL is fine. */
bool log_follower_complete(const struct log_follower *log_follower);
/* A thread that is held up by a file is left to itself. NULL is fine. */
void log_follower_free(struct log_follower *log_follower);

#endif
