/*
 * json_look.h - one look at everything as one JSON document: `electop once --json`.
 *
 * What could not be had is null, never 0, "" or an empty list. What the servers do not show of a candidate's
 * session (client, server, session_timeout_ms, silent_ms, expires_at_latest, watches) is null, too, as is
 * watched_by where nobody is known to watch and not every server shows its watches. failovers is null
 * where nobody kept them; count is of those whose length is known. silent_ms is as of the look at that
 * server's connections.
 *
 * A candidate's session is "0x0" where its znode is persistent and belongs to none.
 *
 * Beside the keys of the contract:
 *
 *   cluster   problem          why it is not connected; null: it is
 *   server    reachable        null: it is not asked (admin and four_letter
 *                              are off, or nobody knows its address), and
 *                              our own session, which would prove it, is
 *                              elsewhere
 *             watches_problem  why its watches are unknown, and what to
 *                              switch on; null: they are known
 *   election  stale_since      since then it cannot be read any more: state
 *                              is "unknown" or "denied", and leader,
 *                              candidates and next_sequence are what was
 *                              seen last. null: all of this holds now
 *             state            "unknown" also between the end of a leader and
 *                              the moment in which the next in line is known
 *                              to stand still: candidates hold then
 *             problem          why it is denied or unknown, or vacant with
 *                              children of which none is a candidate; null:
 *                              none of these
 *   leader    since_exact      false: it was found leading, and since is the
 *                              creation of its znode, the earliest possible
 *                              moment
 *
 * path is what its users give: without the chroot, which is in hosts. candidates is null where they have not
 * been read (unknown, denied), and [] where nobody stands. A cluster given by --server alone has no name:
 * null.
 */
#ifndef ELECTOP_PROBE_SINK_JSON_LOOK_H
#define ELECTOP_PROBE_SINK_JSON_LOOK_H

#include "probe/election/failover_stats.h"
#include "probe/election/model.h"
#include "probe/sink/buffer.h"

/* Appends the document, laid out for people too: a candidate a line. at: when the look was taken. */
void json_look_write(struct buffer *, const struct model *, struct moment at);

/* The same where failovers are kept: kept gives the figures of those of an election in the time before the
   look; false: they are not known. */
#define JSON_LOOK_WINDOW_MS (INT64_C(24) * 3600 * 1000)
typedef bool (*json_look_kept_fn)(void *context, const struct election *, struct failover_figures *);
void json_look_write_kept(struct buffer *, const struct model *, struct moment at, json_look_kept_fn,
                          void *context);

#endif
