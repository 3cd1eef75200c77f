/*
 * schema.h - the content of a recording: one SQLite file, for the program and for people with `sqlite3`.
 *
 * For people there are views. A time in them is text, UTC, such as 2026-11-20T14:03:22.104Z: it compares and
 * sorts as text. Columns that end in _ms are milliseconds. Unknown and inapplicable values are NULL.
 *
 *   events      every event, a row each, in order
 *     id              ascending
 *     time, cluster, election, event     as `electop events --json` names them
 *     candidate, identity                its subject
 *     from_candidate, from_identity      who led before
 *     position        in the line of candidates, from 1
 *     gap_ms          the time without observation before it
 *     after_ms        since the loss, or since it was first in line
 *     joined, gone    how many came and went unseen
 *     state           of the connection
 *     detail          more of it: the layout, why a connection ended
 *
 *   failovers   every change of leader, once its evidence was in
 *     lost, elected                      when the leader's znode went, and when the next one was first
 *     cluster, election, from_candidate, from_identity, to_candidate, to_identity
 *     cause, certainty, evidence         certainty NULL: the cause is unknown
 *     detection_low_ms, detection_high_ms, and the same of vacancy, takeover and total: at least and at most;
 *                     takeover and total end with the new leader's acknowledgement; some layouts have none
 *     notified_ms, reacted_ms            from packets: its successor was notified, and sent its next request, so
 *                     long after the znode's end
 *     gap_ms          found after this time without observation: in no statistics
 *     id              of its event
 *
 *   findings    problems, when they were raised and when they were cleared
 *     time, cluster, election, event (finding-raised, -cleared or -muted), code, severity, certainty
 *     candidates      a JSON array
 *     since, evidence, advice, id
 *
 *   tenures     who led when
 *     cluster, election, candidate, identity
 *     kind            led, vacant (no candidate) or gap (no observation). If the same candidate is still
 *                     first after a gap, led continues in another row: it led all the while
 *     since, until    until NULL: it goes on
 *     from_exact      1: its beginning was seen
 *
 *   gaps        when nothing was recorded, or a cluster could not be watched
 *     cluster         NULL: all of them
 *     since, until, seconds, why         until NULL: it goes on
 *
 *   facts       from the servers' transaction logs, beyond the elections (electop autopsy)
 *     id, time, cluster, zxid, zxid_to
 *     fact            session-expired, session-closed (of those that owned ephemeral znodes), deleted (an
 *                     ephemeral znode, by a request), epoch (ZooKeeper's own leader changed), server-started
 *                     (a server began a new log: it was started), clock-back, missing (transactions that are
 *                     in no log), diverged (servers hold different ones)
 *     session         that ended, or that deleted
 *     owner, path     of the deleted znode; path of server-started: the server's number and its directory
 *     timeout_ms, began                  of the session that ended; began of epoch and server-started: of the
 *                     transaction before
 *     back_ms         how far the clock went back
 *
 * In events, failovers and tenures the column source gives the origin of a row: observed, or log (a
 * transaction log).
 *
 * For example:
 *
 *   -- Who led at 03:12?
 *   SELECT election, candidate, identity, since FROM tenures
 *     WHERE kind = 'led' AND since <= '2026-11-20T03:12' AND coalesce(until, '9') > '2026-11-20T03:12';
 *
 *   -- Why did it change that night, and for how long, at most, was there no leader?
 *   SELECT lost, election, from_identity, to_identity, cause, certainty,
 *          coalesce(total_high_ms, detection_high_ms + vacancy_high_ms) AS most_ms FROM failovers
 *     WHERE lost BETWEEN '2026-11-20T03' AND '2026-11-20T04' ORDER BY lost;
 *
 *   -- How often, by cause?
 *   SELECT election, cause, count(*) FROM failovers WHERE gap_ms IS NULL GROUP BY election, cause;
 *
 *   -- Which problems were there?
 *   SELECT time, election, code, candidates, evidence FROM findings
 *     WHERE event = 'finding-raised' AND severity IN ('error', 'critical') ORDER BY id;
 *
 *   -- When was nothing observed?
 *   SELECT since, until, seconds, why FROM gaps ORDER BY since;
 *
 *   -- One election's events from a time on; in a large recording the number finds them sooner than the time.
 *   SELECT time, event, candidate, identity FROM events WHERE election = '/election' AND id >= coalesce(
 *     (SELECT first_event FROM chunk WHERE from_us <= strftime('%s', '2026-11-20T03:00:00') * 1000000
 *      ORDER BY id DESC LIMIT 1), 0) ORDER BY id LIMIT 50;
 *
 * The tables beneath have times as microseconds since 1970 (at_us, from_us ...):
 *
 *   event, failover, finding, tenure, gap   the rows of the views
 *   cluster, election   the ids in them
 *   name        candidates and identities, by number; the same text may have several
 *   kind        the words of events, by number
 *   stretch     a time of recording without a break and without a step of the clock; why it began, and its
 *               recorder. Ids count in the order of recording, which decides where clocks jumped
 *   chunk       a whole snapshot of everything (snapshot.h, deflated), and the patches that follow it;
 *               first_event, first_name: the first ones after it
 *   patch       the patches of the latest chunk, as they came
 *
 * PRAGMA user_version is the schema's number, PRAGMA application_id says that it is a recording at all. A
 * recording of another schema is refused. The format of snapshots belongs to the schema: a change of
 * either gives it a new number.
 */
#ifndef ELECTOP_PROBE_HISTORY_SCHEMA_H
#define ELECTOP_PROBE_HISTORY_SCHEMA_H

#include <stdbool.h>
#include <sqlite3.h>

#define SCHEMA_VERSION 8

/* Why a stretch began when the clock was set: the reason begins with this. */
#define CLOCK_SET "the clock was set"
/* Why there is a gap: the recorder found that it had not been running. */
#define GAP_STILL "the program stood still"
/* ... or that a cluster could not be watched. */
#define GAP_AWAY "not connected"

/*
 * Makes it (writing, and the file is empty), or checks that it can be read and, writing, written. False and a text in *error (caller frees):
 * the error of the file, and the remedy.
 */
bool schema_prepare(sqlite3 *db, const char *file, bool writing, char **error);

/* SQLite's last error there, in words for people: "no space left on its disk; ...". malloc'd. */
char *schema_error(sqlite3 *db, const char *file);

/* The same of one that is damaged and was to be written. */
char *schema_damaged(const char *file);

#endif
