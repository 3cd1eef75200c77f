/*
 * json_event.h - one event as one line of JSON (JSON Lines).
 *
 * Keys come in this order: schema, time, cluster, election, event, then those of the event:
 *
 *   election-seen        recipe (null: not recognised yet), kind
 *   election-gone        recipe, kind
 *   candidate-joined     candidate, identity, position
 *   candidate-left       candidate, identity, position
 *   leader-lost          candidate, identity
 *   leader-elected       from (null: none before), from_identity,
 *                        to, to_identity, after_ms (since the loss)
 *   leader-acknowledged  candidate, identity, after_ms (since it became first)
 *   failover             failover: the object of json_failover_write()
 *   finding-raised       finding: the object of json_finding_write()
 *   finding-cleared      finding
 *   connection           state, detail (why, for people); of a "gap"
 *                        also gap_ms, its length; election is null
 *   unseen               joined, left
 *
 * after_gap_ms ends an event that was not seen as it happened, but found after a gap of that length (the
 * session was lost, or this program was stalled): it happened within that time, and time is the latest
 * possible moment. Other events lack the key.
 *
 * cluster is null for one without a name (given by --server). election is its path below the cluster's
 * chroot. Unknown values are null. after_ms is a number: whole milliseconds from 10 on, below with up to
 * three decimals.
 */
#ifndef ELECTOP_PROBE_JSON_JSON_EVENT_H
#define ELECTOP_PROBE_JSON_JSON_EVENT_H

#include <stdint.h>

#include "probe/election/event.h"
#include "probe/election/failover.h"
#include "probe/election/finding.h"
#include "probe/json/buffer.h"
#include "probe/json/json_writer.h"

/* ---- A finding as JSON: the same object in `once` and in `events` ---- */

struct election;

/* Writes the object as the next element. If its election is given, in a snapshot of now, it includes the
 * finding's maximum age. */
void json_finding_write(struct json_writer *writer, const struct finding *finding,
                        const struct election *election);

/*
 * A change of leader as JSON: the same object in `events` and in `report`.
 *
 * Keys: from, from_identity, to, to_identity, cause, cause_certainty, evidence, detection_ms, vacancy_ms,
 * notified_ms, reacted_ms, takeover_ms, total_ms. notified_ms and reacted_ms (its successor was notified, and
 * sent its next request) count from the end of the leader's znode, and come from packets alone. A duration is [low,
 * high] in milliseconds, with null for a bound that is open, and null where nothing is known of it. cause_certainty
 * is null where the cause is "unknown".
 */

/* Writes the object as the next element. */
void json_failover_write(struct json_writer *writer, const struct failover *failover);
/* Writes only its members, into an object with other members. */
void json_failover_write_members(struct json_writer *writer, const struct failover *failover);

/* Writes one of its phases, or a figure of several: [low, high], or null. */
void json_failover_write_span(struct json_writer *writer, const char *key, struct span span);

/* Appends the event's object and a newline. */
void json_event_write(struct buffer *out, const struct event *event);

/*
 * Appends a notice for a reader that was too slow: a connection event of state "gap" about all clusters, with
 * the number of dropped lines.
 */
void json_event_write_dropped(struct buffer *out, struct moment at, uint64_t dropped);

#endif
