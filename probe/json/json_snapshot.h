/*
 * json_snapshot.h - one snapshot of everything as one JSON document: `electop once --json`.
 *
 * An unknown value is null, never 0, "" or an empty list. Facts that the servers do not show of a candidate's
 * session (client, server, session_timeout_ms, silent_ms, expires_at_latest, watches) are null, too, as is
 * watched_by where no watcher is known and not every server shows its watches. failovers is null
 * without a recording; count is of those whose length is known. silent_ms is as of the latest poll of that
 * server's connections.
 *
 * A candidate's session is "0x0" where its znode is persistent and has no owner.
 *
 * Beside the keys of the contract:
 *
 *   cluster   problem          why it is not connected; null: it is
 *   server    reachable        null: it is not polled (admin and four_letter
 *                              are off, or its address is not known), and
 *                              our own session, which would prove it, is
 *                              elsewhere
 *             watches_problem  why its watches are unknown, and which setting
 *                              would show them; null: they are known
 *   election  stale_since      since then it cannot be read any more: state
 *                              is "unknown" or "denied", and leader,
 *                              candidates and next_sequence are the last
 *                              known ones. null: all of this holds now
 *             state            "unknown" also between the end of a leader and
 *                              the moment in which the next candidate is known
 *                              to exist still: candidates hold then
 *                              "vacant" also where the first in line certainly does
 *                              not lead: leader is null, that one "stuck"
 *             problem          why it is denied or unknown, or vacant with
 *                              children of which none is a candidate; null:
 *                              none of these
 *             lost             null also where it is only suspected that the first
 *                              in line does not lead: findings tell that
 *   leader    since_exact      false: it was found leading, and since is the
 *                              creation of its znode, the earliest possible
 *                              moment
 *
 * path is the one its users give: without the chroot, which is in hosts. candidates is null where they have
 * not been read (unknown, denied), and [] where there are none. A cluster given by --server alone has no
 * name: null.
 */
#ifndef ELECTOP_PROBE_JSON_JSON_SNAPSHOT_H
#define ELECTOP_PROBE_JSON_JSON_SNAPSHOT_H

#include "probe/election/directory_kind.h"
#include "probe/election/failover.h"
#include "probe/election/model.h"
#include "probe/json/buffer.h"

/* The changes of leader of an election that are kept, in the time before the snapshot, and the figures of those
 * failovers whose length is known; false: they are not known. */
#define JSON_SNAPSHOT_WINDOW_MS (INT64_C(24) * 3600 * 1000)
typedef bool (*json_snapshot_kept_fn)(void *context, const struct election *, size_t *changes,
                                      struct failover_figures *);
/* Appends the document, laid out for people too: a candidate a line. at: when the snapshot was taken. figures
 * NULL: no failovers are kept. */
void json_snapshot_write(struct buffer *out, const struct model *model, struct moment at,
                         json_snapshot_kept_fn figures, void *context);

/* ---- `electop discover --json` ---- */

/*
 * What a search for elections found, as one JSON document. found: one for each cluster of the model.
 *
 *   schema, time
 *   clusters[]: name (null: it has none), hosts, state, problem, walked (directories), rate_per_s, complete,
 *               left_out, denied[] (paths that may not be read; a thousand at most)
 *   found[]: path, kind, proof (signature, watch, behaviour, configured, name), certainty, evidence, members
 *            of elections and locks also: recipe, family, kind_known, state, leader (identity or name)
 */
void json_discovery_write(struct buffer *out, const struct model *model, const struct discovery *found,
                          struct moment now);

#endif
