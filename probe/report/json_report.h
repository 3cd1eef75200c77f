/*
 * json_report.h - a report as one JSON document: `electop report --json`.
 *
 *   schema, from, to (the window), recording: {file, from, to} (from and to null: it is empty),
 *   clock_set: [{before, after}] (of the recorder; in the order of recording), elections: [{
 *     cluster (null: it has no name), path, name, kind, recipe (null: not recognised),
 *     led_ms, vacant_ms, gap_ms (not observed): together the window; longest_vacant_ms,
 *     leader_changes (those that were seen), leader_changes_missed (found after a gap),
 *     leader_changes_per_hour (of the time observed; null: too little was observed),
 *     failovers: {window_ms, count, p50_ms, p90_ms, p99_ms, max_ms (each [low, high], or null),
 *                 by_cause: {cause: {count, p50_ms, ...}},
 *                 list: [{time (of the loss), elected, gap_ms (null: it was seen), and the keys of
 *                         json_failover.h}]},
 *     timeline: [{state: "led", "vacant" or "gap", leader, identity, from, to, from_exact}],
 *     leaders: [{name (of its first znode), identity, tenures, led_ms (of the observed time), longest_ms (a
 *               tenure: it continues through a gap if the same candidate leads after it)}],
 *     findings: [{raised, cleared (null: not cleared at the end), finding}],
 *     unseen: {joined, left}
 *   }]
 *
 * failovers.count is of those whose length is known: it may be smaller than leader_changes. The list has all
 * whose evidence is complete; a change of the last seconds may still be missing there. A finding that was
 * present at the beginning was raised before from.
 */
#ifndef ELECTOP_PROBE_REPORT_JSON_REPORT_H
#define ELECTOP_PROBE_REPORT_JSON_REPORT_H

#include "probe/json/buffer.h"
#include "probe/report/report.h"

/* Appends the document, laid out for people too: a failover, a stretch, a finding a line. */
void json_report_write(struct buffer *, const struct report *, const char *recording);

#endif
