/*
 * json_failover.h - a change of leader as JSON: the same object in `events` and in `report`.
 *
 * Keys: from, from_identity, to, to_identity, cause, cause_certainty, evidence, detection_ms, vacancy_ms,
 * takeover_ms, total_ms. A duration is [low, high] in milliseconds, with null for a bound that is open, and
 * null where nothing is known of it. cause_certainty is null where the cause is "unknown".
 */
#ifndef ELECTOP_PROBE_JSON_JSON_FAILOVER_H
#define ELECTOP_PROBE_JSON_JSON_FAILOVER_H

#include "probe/election/failover.h"
#include "probe/json/json_writer.h"

/* The object, as the next element. */
void json_failover_write(struct json_writer *, const struct failover *);
/* Its members alone, into an object that holds others too. */
void json_failover_write_members(struct json_writer *, const struct failover *);

/* One of its phases, or a figure of several: [low, high], or null. */
void json_failover_write_span(struct json_writer *, const char *key, struct span);

#endif
