/*
 * json_look.h - one look at everything as one JSON document: `electop once --json`.
 *
 * What this version cannot know is null, never 0, "" or an empty list: where a client is connected and what
 * it watches (client, server, watches, watched_by, watches_from), others' session timeouts and silence
 * (session_timeout_ms, silent_ms, expires_at_latest), whether the next failover would be told
 * (next_failover.told; its chain is "unknown"), failovers without a history, and findings: nothing is
 * diagnosed, so an empty list, which would claim that all is well, would be false. A candidate is "leader" or
 * "unknown".
 *
 * Beside the keys of the contract:
 *   cluster   problem      why it is not connected; null: it is
 *   election  stale_since  since then it cannot be read any more: state is "unknown" or "denied", and leader,
 *                          candidates and next_sequence are what was seen last. null: all of this holds now
 *             problem      why it is denied or unknown; null: it is neither
 *   leader    since_exact  false: it was found leading, and since is the creation of its znode, the
 *                          earliest possible moment
 * path is what its users give: without the chroot, which is in hosts.
 * candidates is null where they have not been read (unknown, denied), and [] where nobody stands.
 * A cluster given by --server alone has no name: null.
 */
#ifndef ELECTOP_PROBE_SINK_JSON_LOOK_H
#define ELECTOP_PROBE_SINK_JSON_LOOK_H

#include "probe/election/model.h"
#include "probe/sink/buffer.h"

/* Appends the document, laid out for people too: a candidate a line. at: when the look was taken. */
void json_look_write(struct buffer *, const struct model *, struct moment at);

#endif
