/*
 * log_follower.h - follows the transaction log of a server on this machine, beside the watch on its cluster.
 *
 * A server writes a transaction down before it takes effect, so the log says for certain who ended a
 * candidate, at most a fifth of a second after a watch told that it went. The files are only read.
 */
#ifndef ELECTOP_PROBE_WATCH_LOG_FOLLOWER_H
#define ELECTOP_PROBE_WATCH_LOG_FOLLOWER_H

#include "probe/watch/live_cluster.h"

struct log_follower;

/* From now on, where the settings name a directory; NULL: they name none, or it cannot be read, which is in
   the tool's log (it is tried again). */
struct log_follower *log_follower_new(struct live_cluster *);
void log_follower_free(struct log_follower *); /* NULL is fine */

#endif
