/*
 * capture_follower.h - follows captures beside a live cluster: our own session shows the elections, the packets what
 * the servers hide.
 *
 * Packets have the clock of the capturing host. Each capture's is tied to ours once they come as fast as they were
 * sent: a packet arrives after it was sent, and the one with the least delay shows the difference of the clocks.
 * Earlier packets show only the state at that time. Where packets of a capture fail to come, its watches are doubted,
 * and so is every silence that began before.
 */
#ifndef ELECTOP_PROBE_WATCH_CAPTURE_FOLLOWER_H
#define ELECTOP_PROBE_WATCH_CAPTURE_FOLLOWER_H

#include "probe/election/observation.h"

struct live_cluster;
struct capture_follower;

/* Starts if the settings name captures. NULL: they name none, or, with a text in *error (caller frees), one cannot be
 * read. */
struct capture_follower *capture_follower_new(struct live_cluster *live, char **error);
void capture_follower_free(struct capture_follower *follower); /* NULL is fine */
/* What our own session was shown. */
void capture_follower_learn(struct capture_follower *follower, const struct observation *observation);
/* The packets up to now are read, or will not be soon. */
bool capture_follower_complete(const struct capture_follower *follower);

#endif
