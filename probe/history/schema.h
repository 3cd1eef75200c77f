/*
 * schema.h - what is in a recording: one SQLite file, for the program and for people with `sqlite3`.
 *
 * For people there are views. A time in them is text, UTC, such as 2026-11-20T14:03:22.104Z: it compares and
 * sorts as it stands. What ends in _ms is milliseconds. What is not known, or does not apply, is NULL.
 *
 *   events      every event, a row each, in order
 *     id              ascending
 *     time, cluster, election, event     as `electop events --json` names them
 *     candidate, identity                whom it is about
 *     from_candidate, from_identity      who led before
 *     position        in the line of candidates, from 1
 *     gap_ms          nobody had watched for so long before
 *     after_ms        since the loss, or since it was first
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
 *   findings    what was found wrong, when it was raised and when it was cleared
 *     time, cluster, election, event (finding-raised, -cleared or -muted), code, severity, certainty
 *     candidates      a JSON array
 *     since, evidence, advice, id
 *
 *   tenures     who led when
 *     cluster, election, candidate, identity
 *     kind            led, vacant (nobody stood) or gap (nobody watched). Where the same candidate is
 *                     still first after a gap, led continues in another row: it led all the while
 *     since, until    until NULL: it goes on
 *     from_exact      1: its beginning was seen
 *
 *   gaps        when nothing was recorded, or a cluster could not be watched
 *     cluster         NULL: all of them
 *     since, until, seconds, why         until NULL: it goes on
 *
 *   facts       what the servers' transaction logs tell beyond the elections (electop autopsy)
 *     id, time, cluster, zxid, zxid_to
 *     fact            session-expired, session-closed (of those that owned ephemeral znodes), deleted (an
 *                     ephemeral znode, by a request), epoch (ZooKeeper's own leader changed), server-started
 *                     (a server began a new log: it was started), clock-back, missing (transactions that are
 *                     in no log), diverged (servers hold different ones)
 *     session         that ended, or that deleted
 *     owner, path     of what was deleted; path of server-started: the server's number and its directory
 *     timeout_ms, began                  of the session that ended; began of epoch and server-started: of the
 *                     transaction before
 *     back_ms         by so much the clock went back
 *
 * In events, failovers and tenures the column source says where a row comes from: observed (somebody
 * watched) or log (a transaction log).
 *
 * For example:
 *
 *   -- Who led at 03:12?
 *   SELECT election, candidate, identity, since FROM tenures
 *     WHERE kind = 'led' AND since <= '2026-11-20T03:12' AND coalesce(until, '9') > '2026-11-20T03:12';
 *
 *   -- Why did it change that night, and for how long did nobody lead, at the most?
 *   SELECT lost, election, from_identity, to_identity, cause, certainty,
 *          coalesce(total_high_ms, detection_high_ms + vacancy_high_ms) AS most_ms FROM failovers
 *     WHERE lost BETWEEN '2026-11-20T03' AND '2026-11-20T04' ORDER BY lost;
 *
 *   -- How often, by cause?
 *   SELECT election, cause, count(*) FROM failovers WHERE gap_ms IS NULL GROUP BY election, cause;
 *
 *   -- What was wrong?
 *   SELECT time, election, code, candidates, evidence FROM findings
 *     WHERE event = 'finding-raised' AND severity IN ('error', 'critical') ORDER BY id;
 *
 *   -- When did nobody watch?
 *   SELECT since, until, seconds, why FROM gaps ORDER BY since;
 *
 *   -- One election's events from a time on; in a large recording the number finds them sooner than the time.
 *   SELECT time, event, candidate, identity FROM events WHERE election = '/election' AND id >= coalesce(
 *     (SELECT first_event FROM chunk WHERE from_us <= strftime('%s', '2026-11-20T03:00:00') * 1000000
 *      ORDER BY id DESC LIMIT 1), 0) ORDER BY id LIMIT 50;
 *
 * The tables beneath have times as microseconds since 1970 (at_us, from_us ...):
 *
 *   event, failover, finding, tenure, gap   what the views show
 *   cluster, election   the ids in them
 *   name        candidates and identities, by number; the same text may have several
 *   kind        the words of events, by number
 *   stretch     from when to when was recorded without a break, with the clock going forwards; why it began,
 *               and who recorded. Ids count in the order of recording, which decides where clocks jumped
 *   chunk       a whole snapshot of everything (snapshot.h, deflated), and the patches that follow it;
 *               first_event, first_name: the first ones after it
 *   patch       the patches of the latest chunk, as they came
 *
 * PRAGMA user_version is the schema's number, PRAGMA application_id says that it is a recording at all. A
 * recording of another schema is refused. The format of snapshots belongs to the schema: whoever changes
 * either gives it a new number.
 */
#ifndef ELECTOP_PROBE_HISTORY_SCHEMA_H
#define ELECTOP_PROBE_HISTORY_SCHEMA_H

#include <stdbool.h>
#include <sqlite3.h>

#define SCHEMA_VERSION 8

/* Why a stretch began: so far all that says so begins. */
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

/* What SQLite says of its last error there, in words for people: "no space left on its disk; ...".
   malloc'd. */
char *schema_error(sqlite3 *db, const char *file);

/* The same of one that is damaged and was to be written. */
char *schema_damaged(const char *file);

#endif
